import { StoreFull, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../store/store.ts'

/**
 * Which calls in progress have changed something already. A call of several writes whose second one is refused by the store must not be told that nothing was
 * done: it gets `outcome_unknown`.
 */
export interface CallWrites {
  /** Runs the operation of a call. Throws `StoreOutcomeUnknown` in place of a refusal of the store when one of its writes was committed before. */
  run<T>(requestId: string, operation: () => Promise<T>): Promise<T>
  /** Notes a committed write by its input: the audit entry of a change has the id of its request. */
  writeCommitted(input: unknown): void
}

export function makeCallWrites(): CallWrites {
  /** The calls in progress, and whether one of their writes was committed. */
  const calls = new Map<string, boolean>()
  return Object.freeze<CallWrites>({
    async run(requestId, operation) {
      calls.set(requestId, false)
      try {
        return await operation()
      } catch (err) {
        throw calls.get(requestId) === true && isRefusedByStore(err)
          ? new StoreOutcomeUnknown(`after a write of the call was committed: ${err.message}`, { cause: err })
          : err
      } finally {
        calls.delete(requestId)
      }
    },
    writeCommitted(input) {
      const requestId = requestIdOf(input as WriteInput | null)
      if (requestId !== undefined && calls.has(requestId)) calls.set(requestId, true)
    },
  })
}

/** Where the input of a write has its audit entries: the check of a code decides in the store which of two it writes. */
interface WriteInput {
  readonly audit?: { readonly requestId: string } | null
  readonly attempt?: { readonly auditIfRight?: { readonly requestId: string } } | null
}

function requestIdOf(input: WriteInput | null): string | undefined {
  return input?.audit?.requestId ?? input?.attempt?.auditIfRight?.requestId
}

function isRefusedByStore(err: unknown): err is Error {
  return err instanceof StoreUnavailable || err instanceof StoreOverloaded || err instanceof StoreFull
}
