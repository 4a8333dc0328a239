import { errors, RpcError, type ErrorName } from '@tessera/contract/errors'

/** Something wrong that was seen while reading and is answered later, when its stage has come. */
export interface Fault {
  readonly entry: ErrorName
  readonly data?: string
  /** For the log. */
  readonly cause?: unknown
}

/** Of two faults the one is answered that stands earlier in the table of errors; of two equal ones the first seen. */
export function isEarlier(entry: ErrorName, seen: Fault | null): boolean {
  return seen === null || ranks[entry] < ranks[seen.entry]
}

export function throwFault({ entry, ...options }: Fault): never {
  throw new RpcError(entry, options)
}

/**
 * Names a member by its path, `card.number`, in a reply. Somebody else wrote the names: one that is not plainly a name is told as `*`, so that
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
