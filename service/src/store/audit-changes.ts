/** What an action changed in one setting: its name, and the value before and after. Null: there was or is none. Never a secret. */
export interface AuditChange {
  readonly name: string
  readonly from: string | null
  readonly to: string | null
}

/** The text of the column `changes`: a JSON array of [name, from, to]; '' when nothing changed. Long values are cut. */
export function encodeAuditChanges(changes: readonly AuditChange[]): string {
  if (changes.length === 0) return ''
  return JSON.stringify(changes.slice(0, maxChanges).map(({ name, from, to }) => [name, cut(from), cut(to)]))
}

/** Reads the column; an unreadable text is a single change without a name, so that a damaged entry does not hide the others of its page. */
export function decodeAuditChanges(text: string): AuditChange[] {
  if (text === '') return []
  try {
    const found: unknown = JSON.parse(text)
    if (Array.isArray(found) && found.every(isTriple)) return found.map(([name, from, to]) => ({ name, from, to }))
  } catch {
    // Reported below.
  }
  return [{ name: '', from: null, to: text }]
}

function isTriple(value: unknown): value is [string, string | null, string | null] {
  if (!Array.isArray(value) || value.length !== 3) return false
  const [name, ...values] = value as unknown[]
  return typeof name === 'string' && values.every((each) => each === null || typeof each === 'string')
}

function cut(value: string | null): string | null {
  if (value === null) return null
  const text = value.toWellFormed()
  return text.length <= maxValueLength ? text : `${text.slice(0, maxValueLength).toWellFormed()}…`
}

/** A merchant has some twenty settings. */
const maxChanges = 40
const maxValueLength = 300
