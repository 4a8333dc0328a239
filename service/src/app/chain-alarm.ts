import type { ChainBreak } from '../domain/freshness/chain-follower.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'

/** Reports a place where an audit chain is not the one that the services wrote. */
export function makeChainAlarm(log: Pick<Log, 'error'>, metrics: Pick<Metrics, 'countAuditFault'>): (found: ChainBreak) => void {
  return ({ chain, seq, fault }) => {
    metrics.countAuditFault({ fault })
    log.error('audit_chain_broken', { chain, seq, fault })
  }
}
