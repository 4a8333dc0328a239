/** The lists whose filters can be saved. */
const viewLists = ['receipts', 'verification', 'requests', 'webhooks', 'audit'] as const

export type ViewList = (typeof viewLists)[number]

/** A filter of a list that somebody named. */
export interface SavedView {
  readonly list: ViewList
  readonly name: string
  /** The query of the address, which has no phones, order numbers or customers: those are not in an address. */
  readonly query: string
}

/** Of all lists together. */
export const savedViewsMax = 30
export const viewNameMax = 40

/** The views of one user in this browser: docs/decisions/0123-saved-views.md. What is not one of ours is left out. */
export function readSavedViews(userId: string): readonly SavedView[] {
  try {
    const stored = JSON.parse(localStorage.getItem(keyOf(userId)) ?? '[]') as unknown
    return Array.isArray(stored) ? stored.filter(isSavedView).slice(0, savedViewsMax) : []
  } catch {
    return []
  }
}

/** False where the browser stores nothing. */
export function storeSavedViews(userId: string, views: readonly SavedView[]): boolean {
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify(views))
    return true
  } catch {
    return false
  }
}

/** The same filter always gives the same text. Empty for none. */
export function normalizeQuery(query: URLSearchParams): string {
  return new URLSearchParams([...query].filter(([, value]) => value !== '').sort(([one], [other]) => (one < other ? -1 : 1))).toString()
}

/** Why a name cannot be given to a view of a list; null when it can. `before`: its name until now. */
export function findNameProblem(name: string, others: readonly SavedView[], before = ''): 'empty' | 'taken' | null {
  const wanted = name.trim()
  if (wanted === '') return 'empty'
  return others.some((each) => each.name === wanted && each.name !== before) ? 'taken' : null
}

function isSavedView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false
  const { list, name, query } = value as Partial<Record<keyof SavedView, unknown>>
  const isList = viewLists.some((each) => each === list)
  return (
    isList && typeof name === 'string' && name !== '' && name.length <= viewNameMax && typeof query === 'string' && query.length <= 1000
  )
}

function keyOf(userId: string): string {
  return `tessera.views.${userId}`
}
