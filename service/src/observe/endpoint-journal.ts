import type { ToldDeed } from '../endpoint/told.ts'

import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/**
 * Counts what merchants' endpoints said, and writes a line where one did not agree. A refusal is the merchant's right and no more than noted; silence
 * holds money up and is a warning; one that could not be asked is a fault on our side.
 */
export function makeEndpointJournal(log: Log, metrics: Metrics): (told: ToldDeed) => void {
  return ({ outcome, deed, merchantId, receiptId, reason, code, ms, err }) => {
    metrics.countEndpoint({ deed, outcome })
    if (outcome === 'agreed') return
    log[levels[outcome]](`endpoint_${outcome}`, { merchantId, receiptId, deed, reason, code, ms, err })
  }
}

const levels = { refused: 'info', silent: 'warn', failed: 'error' } as const
