import { makeCustody, type Custody } from '../domain/custody/custody.ts'
import { makeCustodyAudit, type CustodyAudit } from '../domain/custody/custody-audit.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../ops/config/config.ts'
import { makeHandOver, type HandOver } from './hand-over.ts'
import { readCoreDumps } from '../ops/core-dumps.ts'
import type { Log } from '../ops/logging/log.ts'

/** The ceremonies of custodians, and their audit, which waits for a store while the service is sealed. */
export interface CustodyServices {
  readonly custody: Custody
  readonly audit: CustodyAudit
  readonly handOver: HandOver | null
}

/** Throws `ExitError` when the settings of a hand-over cannot be used. */
export function makeCustodyServices(config: Config, { clock, log }: { readonly clock: Clock; readonly log: Log }): CustodyServices {
  const { environment, kekCeremonyMinutes } = config
  const audit = makeCustodyAudit({ clock, log: log.warn })
  const isDumped = (): boolean => environment === 'production' && readCoreDumps() === 'on'
  const custody = makeCustody({ environment, clock, audit, isDumped, ceremonyMs: kekCeremonyMinutes * 60_000 })
  return { audit, custody, handOver: makeHandOver(config, { custody, log, clock }) }
}
