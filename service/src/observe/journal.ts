import { errorEntry } from '@tessera/contract/errors'

import type { CallEntry, CallFailure, Journal } from '../rpc/journal.ts'

import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** Writes one line a call and counts it; a failure whose cause the caller is not told gets a line of its own. */
export function makeJournal(log: Log, metrics: Metrics): Journal {
  return Object.freeze({
    called(entry: CallEntry) {
      const { code, reason } = outcomeOf(entry)
      metrics.countCall({ method: entry.method ?? 'unknown', profile: entry.profile, code, reason, ms: entry.ms })
      const { requestId, method, profile, merchantId, ms, bytes } = entry
      log.info('call', { requestId, method, profile, merchantId, code, ...(reason === '' ? {} : { reason }), ms, bytes })
    },
    failed(failure: CallFailure) {
      const { requestId, method, error, cause } = failure
      const fields = { requestId, method, reason: errorEntry(error).reason, err: cause }
      if (error === 'internalError') log.error('call_failed', fields)
      else log.warn('call_failed', fields)
    },
  })
}

/** The code that the caller was told, 0 for a result. */
function outcomeOf({ error, profile }: CallEntry): { code: number; reason: string } {
  if (error === null) return { code: 0, reason: '' }
  const { code, specCode, reason } = errorEntry(error)
  return { code: profile === 'spec' ? (specCode ?? code) : code, reason }
}
