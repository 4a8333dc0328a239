import { isPlainName } from '@tessera/contract/envelope'
import { errors, RpcError, type ErrorName } from '@tessera/contract/errors'

/** A fault found while reading, to be reported by its step of the pipeline. */
export interface RequestFault {
  readonly entry: ErrorName
  readonly data?: string
  /** For the log. */
  readonly cause?: unknown
}

/** Whether a fault takes precedence: the one earlier in the table of errors is reported, and of two equal ones the first found. */
export function isEarlier(entry: ErrorName, other: RequestFault | null): boolean {
  return other === null || ranks[entry] < ranks[other.entry]
}

export function throwFault({ entry, ...options }: RequestFault): never {
  throw new RpcError(entry, options)
}

/**
 * The path of a member for a reply, such as `card.number`. The names come from the caller: one that does not look like a plain name is written as `*`,
 * so that a misplaced secret is not echoed.
 */
export function namePath(keys: readonly (string | number)[]): string {
  return keys.map((key) => (typeof key === 'number' || isPlainName(key) ? String(key) : '*')).join('.')
}

const ranks = Object.fromEntries(Object.keys(errors).map((name, rank) => [name, rank])) as Record<ErrorName, number>
