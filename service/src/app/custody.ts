import { makeCustody, type Custody } from '../domain/custody/custody.ts'
import { makeCustodyAudit, type CustodyAudit } from '../domain/custody/custody-audit.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../ops/config/config.ts'
import type { Log } from '../ops/logging/log.ts'

/** The ceremonies of custodians, and their audit, which waits for a store while the service is sealed. */
export interface CustodyServices {
  readonly custody: Custody
  readonly audit: CustodyAudit
}

export function makeCustodyServices(
  { environment, kekCeremonyMinutes }: Pick<Config, 'environment' | 'kekCeremonyMinutes'>,
  { clock, log }: { readonly clock: Clock; readonly log: Pick<Log, 'warn'> },
): CustodyServices {
  const audit = makeCustodyAudit({ clock, log: log.warn })
  return { audit, custody: makeCustody({ environment, clock, audit, ceremonyMs: kekCeremonyMinutes * 60_000 }) }
}
