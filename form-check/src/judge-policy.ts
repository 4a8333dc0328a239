import { makeFinding, nowhere, type Finding } from './finding.ts'
import type { PageElement, PageFacts } from './judge-elements.ts'
import { blocksForm, readPolicies, weaknessOf } from './policy.ts'
import { isCardInput, isDoor } from './words.ts'

/** The rules about Content-Security-Policy: `headers` are those of the reply; policies in the page's head count too. */
export function judgePolicy(elements: readonly PageElement[], headers: readonly string[], facts: PageFacts): Finding[] {
  const doors = elements.filter(isDoor)
  if (doors.length === 0 && !elements.some(isCardInput)) return []
  const metas = elements.filter(
    ({ tag, attributes }) => tag === 'meta' && /^content-security-policy$/i.test(attributes['http-equiv'] ?? ''),
  )
  const policies = [...headers, ...metas.map(({ attributes }) => attributes['content'] ?? '')].flatMap(readPolicies)
  const place = metas[0]?.place ?? { ...nowhere, line: facts.half === 'source' ? 1 : null }
  if (policies.length === 0) return [makeFinding('csp-missing', facts, place, '')]
  const origins = [...new Set(doors.map((door) => originOf(door, facts)).filter((origin) => origin !== null))]
  const blocked = origins.flatMap((origin) =>
    policies
      .map((policy) => blocksForm(policy, origin, facts.origin))
      .filter((name) => name !== null)
      .map((name) => `${name} lacks ${origin}`),
  )
  // All of them hold at once: one that narrows is enough.
  const weak = policies.map(weaknessOf)
  return [
    ...[...new Set(blocked)].map((shown) => makeFinding('csp-blocks-form', facts, place, shown)),
    ...(weak.every((one) => one !== null) ? [makeFinding('csp-weak', facts, place, weak[0] ?? '')] : []),
  ]
}

/** Of a file whose place nobody knows, only a full address tells. */
function originOf({ attributes }: PageElement, { origin }: PageFacts): string | null {
  const url = URL.parse(attributes['src'] ?? '', origin ?? undefined)
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null
}
