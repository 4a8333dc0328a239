import { errorEntry, RpcError, type ErrorName } from '@tessera/contract/errors'

/** What a call came to: its result as it goes over the wire, or what was thrown. */
export type Outcome<T> = { readonly result: T } | { readonly error: RpcError }

/**
 * Whether an outcome is kept under the key: everything from the state stage on. Not our own faults (-32400), after which the same request may
 * well succeed; and not a payment that the network has not answered, which is no outcome yet: the row stays claimed and is told by the receipt.
 */
export function isKept(outcome: Outcome<unknown>): boolean {
  if ('result' in outcome) return true
  const { entry } = outcome.error
  const { stage, code } = errorEntry(entry)
  return (stage === 'state' || stage === 'network') && code !== oursCode && entry !== 'paymentUnknown'
}

/** As it is sealed. An error goes by its entry: whoever asks again may do so in another language. */
export function writeOutcome(outcome: Outcome<unknown>): string {
  if ('result' in outcome) return JSON.stringify({ result: outcome.result })
  const { entry, data, retryAfterMs } = outcome.error
  return JSON.stringify({ error: { entry, data, retryAfterMs } })
}

/** Reads what `writeOutcome` wrote; the seal has proved that it was us. */
export function readOutcome<T>(text: string): Outcome<T> {
  const read = JSON.parse(text) as { result: T } | { error: { entry: ErrorName; data?: string | object; retryAfterMs?: number } }
  if ('result' in read) return read
  const { entry, ...options } = read.error
  return { error: new RpcError(entry, options) }
}

/** Does a deed and tells what it came to; throws what the wire has no word for. */
export async function outcomeOf<T>(deed: () => Promise<T>): Promise<Outcome<T>> {
  try {
    return { result: await deed() }
  } catch (err) {
    if (err instanceof RpcError) return { error: err }
    throw err
  }
}

/** Gives or throws what a call came to. */
export function tell<T>(outcome: Outcome<T>): T {
  if ('error' in outcome) throw outcome.error
  return outcome.result
}

const oursCode = -32400
