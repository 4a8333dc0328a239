/**
 * Where the page keeps its session over a reload: in the storage of this window and of this origin, until the session has its outcome
 * (docs/decisions/0027-hosted-page.md). The frame neither reads nor writes it.
 */
export interface StoredSession {
  readonly text: string
  remove(): void
}

/**
 * Takes the session out of the address, where a history, a screenshot or a shared link would have it, and stores it; without one in the
 * address, the stored one of the same merchant is read. A browser that forbids storage keeps the session in memory only.
 */
export function takeSession(merchant: string): StoredSession {
  const key = `tessera session ${merchant}`
  const given = location.hash.slice(1)
  history.replaceState(null, '', location.pathname + location.search)
  if (given !== '') tryStorage((storage) => storage.setItem(key, given))
  return {
    text: given === '' ? (tryStorage((storage) => storage.getItem(key)) ?? '') : given,
    remove: () => void tryStorage((storage) => storage.removeItem(key)),
  }
}

/** Null when the browser forbids storage or has no room. */
function tryStorage<T>(use: (storage: Storage) => T): T | null {
  try {
    return use(sessionStorage)
  } catch {
    return null
  }
}
