import { makeFinding, nowhere, type Finding } from '../finding.ts'
import type { PageElement, PageFacts } from '../judge-elements.ts'
import { judgePolicy } from '../judge-policy.ts'
import { holdsPassword } from '../secrets.ts'
import { callsCards, isDoor, isSdk } from '../words.ts'

import type { Heard } from './watch-page.ts'

export interface Replied {
  readonly elements: readonly PageElement[]
  /** Of the page's own reply; undefined where there was none. */
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly facts: PageFacts
}

/** The rules that a page is held against before anything is typed, besides those about its elements. */
export function judgeHeard(heard: Heard, replied: Replied): Finding[] {
  const { facts } = replied
  return [...judgeReply(replied), ...judgeRefused(heard, replied), ...judgeBodies(heard, facts), ...judgeWays(heard, facts)]
}

/** How the page came: its policy, and whether anybody on the way could change it. */
function judgeReply({ elements, headers, facts }: Replied): Finding[] {
  const policy = headers?.['content-security-policy']
  const isOpen = facts.origin?.startsWith('http:') === true && !isNear(new URL(facts.origin).hostname)
  return [
    ...judgePolicy(elements, policy === undefined ? [] : policy.split('\n'), facts),
    ...(isOpen ? [makeFinding('not-https', facts, nowhere, facts.origin)] : []),
  ]
}

/** What of the service the browser kept out, by a policy of whatever place. */
function judgeRefused({ refused }: Heard, { elements, facts }: Replied): Finding[] {
  const doors = elements.filter(isDoor).map(({ attributes }) => originOf(attributes['src'] ?? '', facts.origin))
  return refused.flatMap(({ directive, blocked }) => {
    const origin = originOf(blocked)
    return origin !== undefined && doors.includes(origin)
      ? [makeFinding('csp-blocks-form', facts, nowhere, `${directive} lacks ${origin}`)]
      : []
  })
}

/** The scripts that were loaded. */
function judgeBodies({ bodies }: Heard, facts: PageFacts): Finding[] {
  return [...bodies].flatMap(([address, text]) => [
    ...(holdsPassword(text) ? [makeFinding('password-in-page', facts, nowhere, address)] : []),
    ...(callsCards(text) && !isSdk(address) ? [makeFinding('own-call', facts, nowhere, address)] : []),
  ])
}

/** What left the page. */
function judgeWays({ ways }: Heard, facts: PageFacts): Finding[] {
  return ways
    .filter(({ text, to }) => holdsPassword(text) || holdsPassword(to))
    .map(({ by, to }) => makeFinding('password-in-page', facts, nowhere, `${by} to ${to}`))
}

function originOf(address: string, page: string | null = null): string | undefined {
  return URL.parse(address, page ?? undefined)?.origin
}

/** A developer's own machine or network (RFC 1918, RFC 4193, RFC 6761). */
function isNear(host: string): boolean {
  return /^(localhost|.*\.localhost|.*\.local|.*\.test|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|\[::1\]|\[f[cd].*)$/i.test(
    host,
  )
}
