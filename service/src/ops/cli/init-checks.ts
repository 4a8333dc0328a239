import { findExternalAdapterFaults } from '../../app/adapters.ts'
import { findProductionFaults } from '../../app/production-checks.ts'
import { settings, type Config } from '../config/config.ts'
import { findTransportFaults } from '../config/private-transports.ts'

import type { DoctorFinding } from './doctor-finding.ts'
import { checkPeers } from './peer-checks.ts'
import { runStartChecks } from './run-start-checks.ts'

/** What a production start would refuse in these settings, one sentence each. */
export function listMissing(config: Config): string[] {
  return [...findExternalAdapterFaults(config), ...findTransportFaults(settings, config), ...findProductionFaults(config)]
}

/** Reads the certificate, and connects to what the settings name: the databases and the KEK as a start does, the other peers by their address and certificate. */
export async function checkInitPeers(config: Config): Promise<DoctorFinding[]> {
  const fromStart = await runStartChecks(config, (name) => ['TLS', 'database', 'key store', 'KEK'].includes(name))
  return [...fromStart, ...(await checkPeers(config))]
}
