import type { WriteAdmission } from '../server/pipeline.ts'
import { StoreFull, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../store/store.ts'

import { CallTable } from './call-table.ts'

/**
 * Which calls in progress have changed something already. A call of several writes whose second one is refused by the store must not be told that nothing was
 * done: it gets `outcome_unknown`.
 */
export interface CallWrites {
  /** Runs the operation of a call. Throws `StoreOutcomeUnknown` in place of a refusal of the store when one of its writes was committed before. */
  run<T>(requestId: string, operation: () => Promise<T>, admission: WriteAdmission): Promise<T>
  /**
   * Notes, by its input, that a write is handed to the store: the first one of a call ends the place that the call has in the queue. Returns whose write it is;
   * null: the service's own.
   */
  writeStarted(input: unknown): string | null
  /** Notes a committed write by its input: the audit entry of a change has the id of its request. */
  writeCommitted(input: unknown): void
}

export function makeCallWrites(): CallWrites {
  const calls = new CallTable<CallInProgress>()
  return Object.freeze<CallWrites>({
    async run(requestId, operation, { owner, place }) {
      const call: CallInProgress = { owner, place, hasCommitted: false }
      calls.set(requestId, call)
      try {
        return await operation()
      } catch (err) {
        throw call.hasCommitted && isRefusedByStore(err)
          ? new StoreOutcomeUnknown(`after a write of the call was committed: ${err.message}`, { cause: err })
          : err
      } finally {
        calls.delete(requestId)
      }
    },
    writeStarted(input) {
      const call = callOf(input)
      if (call === undefined) return null
      call.place?.release()
      return call.owner
    },
    writeCommitted(input) {
      const call = callOf(input)
      if (call !== undefined) call.hasCommitted = true
    },
  })

  function callOf(input: unknown): CallInProgress | undefined {
    const requestId = requestIdOf(input as WriteInput | null)
    return requestId === undefined ? undefined : calls.get(requestId)
  }
}

interface CallInProgress extends WriteAdmission {
  /** Whether one of its writes was committed. */
  hasCommitted: boolean
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
