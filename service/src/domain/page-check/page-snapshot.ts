import type { PageChange } from '@tessera/contract/event'

import type { PageScript } from './parsed-page.ts'

/**
 * What of a page must not change unnoticed (PCI DSS 6.4.3, 11.6.1): its scripts with the hashes of their contents, the headers that protect it, and the
 * rules for card forms that it breaks. Keys are `script <address>`, `header <name>` and `rule <id>`.
 */
export interface WatchedPageContent {
  readonly items: Readonly<Record<string, string>>
  /** All scripts, also those that differ from reading to reading. */
  readonly scripts: number
}

export interface SnapshotParts {
  readonly scripts: readonly PageScript[]
  /** Hashes of scripts whose contents the page does not fix, by address. */
  readonly contents: ReadonlyMap<string, string>
  readonly headers: Readonly<Record<string, string>>
  readonly rules: readonly string[]
}

export function makeSnapshot({ scripts, contents, headers, rules }: SnapshotParts): WatchedPageContent {
  const items: Record<string, string> = {}
  // An inline script is named by the hash of its content, so its presence is all there is to compare.
  for (const { name, address, fingerprint } of scripts)
    items[`script ${name}`] = fingerprint === '' ? (contents.get(address) ?? '') : fingerprint
  for (const [name, value] of Object.entries(headers)) items[`header ${name}`] = withoutNonces(value)
  for (const rule of rules) items[`rule ${rule}`] = 'broken'
  return { items, scripts: scripts.length }
}

/**
 * What two readings, one right after the other, have in common. A page that is made anew for each visitor (a token in an inline script, a script that
 * differs each time) is compared by what stays: an item with two values is compared by its presence alone.
 */
export function keepStable(one: WatchedPageContent, other: WatchedPageContent): WatchedPageContent {
  const common = Object.entries(one.items).filter(([key]) => Object.hasOwn(other.items, key))
  return {
    items: Object.fromEntries(common.map(([key, value]) => [key, other.items[key] === value ? value : varying])),
    scripts: one.scripts === other.scripts ? one.scripts : varyingCount,
  }
}

/** What differs, in the order of the keys. An item that varies in either is compared by its presence. */
export function compareSnapshots(before: WatchedPageContent, now: WatchedPageContent): PageChange[] {
  const changes: PageChange[] = []
  for (const key of [...new Set([...Object.keys(before.items), ...Object.keys(now.items)])].sort()) {
    const [was, is] = [before.items[key], now.items[key]]
    const change = was === undefined ? 'added' : is === undefined ? 'removed' : 'changed'
    const isSame = was === is || (change === 'changed' && (was === varying || is === varying))
    const [what = '', ...name] = key.split(' ')
    if (!isSame) changes.push({ what: what as PageChange['what'], change, name: name.join(' ') })
  }
  const isCountKnown = before.scripts !== varyingCount && now.scripts !== varyingCount
  if (changes.length === 0 && isCountKnown && before.scripts !== now.scripts)
    changes.push({ what: 'script', change: now.scripts > before.scripts ? 'added' : 'removed', name: '' })
  return changes
}

export function readSnapshot(text: string): WatchedPageContent {
  return JSON.parse(text) as WatchedPageContent
}

/** A policy with nonces has another one each time (CSP Level 3). */
function withoutNonces(value: string): string {
  return value.replaceAll(/'nonce-[^']*'/g, "'nonce-*'")
}

const varying = '*'
const varyingCount = -1
