import { errors, RpcError, type ErrorName } from '@tessera/contract/errors'

/** A fault that was found while reading and is reported later, by its step of the pipeline. */
export interface RequestFault {
  readonly entry: ErrorName
  readonly data?: string
  /** For the log. */
  readonly cause?: unknown
}

/** Of two faults, the one that comes earlier in the table of errors is reported; of two equal ones the first found. */
export function isEarlier(entry: ErrorName, seen: RequestFault | null): boolean {
  return seen === null || ranks[entry] < ranks[seen.entry]
}

export function throwFault({ entry, ...options }: RequestFault): never {
  throw new RpcError(entry, options)
}

/**
 * Names a member by its path, `card.number`, in a reply. The caller wrote the names: one that is not plainly a name is shown as `*`, so that
 * nothing is echoed that might be a secret in the wrong place.
 */
export function namePath(keys: readonly (string | number)[]): string {
  return keys.map((key) => (typeof key === 'number' || isPlainName(key) ? String(key) : '*')).join('.')
}

/** Letters, digits, `_`, `.` and `-`, at most 64 of them, and no digits enough for a card number, an account or a phone. */
export function isPlainName(name: string): boolean {
  return /^[\w.-]{1,64}$/.test(name) && !/\d(?:\D?\d){6}/.test(name)
}

const ranks = Object.fromEntries(Object.keys(errors).map((name, rank) => [name, rank])) as Record<ErrorName, number>
