import type { ReachedLimit } from '../limits/refusing.ts'

import type { Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/**
 * Counts every call that met one of the limits that may be in the shadow, and writes a line of each such limit every ten seconds at most: `limit_reached`,
 * or `limit_shadow` where nobody was refused. `now` is unix milliseconds.
 */
export function makeLimitJournal(log: Log, metrics: Metrics, now: () => number): (reached: ReachedLimit) => void {
  const lines = new Map<string, { at: number; count: number }>()
  return ({ reason, mode, merchantId }) => {
    metrics.countLimit({ reason, mode })
    const line = lines.get(reason) ?? { at: -Infinity, count: 0 }
    lines.set(reason, line)
    line.count++
    if (now() - line.at < everyMs) return
    log.warn(mode === 'shadow' ? 'limit_shadow' : 'limit_reached', { reason, merchantId, count: line.count })
    Object.assign(line, { at: now(), count: 0 })
  }
}

const everyMs = 10_000
