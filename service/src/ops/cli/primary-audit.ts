import type { KeyStore } from '@tessera/vault/keyring'

import { adapterDependencies } from '../../app/adapter-dependencies.ts'
import { createResources, type Resources } from '../../app/lifecycle.ts'
import { needsCustodians } from '../../app/sealed-service.ts'
import { openStorage } from '../../app/storage.ts'
import type { Clock } from '../../clock.ts'
import { insertAuditEntry } from '../../store/audit.ts'
import type { KeyStoreValues } from '../../store/keys.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { openAuditChain } from '../audit/open-chain.ts'
import type { Config } from '../config/config.ts'
import { ExitError } from '../exits.ts'
import { makeLog, type Log } from '../logging/log.ts'
import { openLogSink } from '../logging/sink.ts'

import type { CommandInput } from './command.ts'
import { callOperator } from './control-client.ts'
import { claimFolder } from './start.ts'
import { waitForCustodians, type OpenedAdapters } from './wait-for-custodians.ts'

export interface PrimaryToAudit {
  /** As it was named. */
  readonly host: string
  /** The settings, with the chosen server alone. */
  readonly chosen: Config
  /** Opens the key store of the choice, which no fence may refuse before it is made. */
  readonly openKeys: () => Promise<KeyStore & KeyStoreValues>
}

/**
 * Runs the choice of a primary, and writes its audit entry. The service on the data folder writes it, if one runs there: it has the keys also while the KEK is away or
 * custodians hold it. Otherwise the KEK is opened before the choice, so that nothing is chosen that cannot be audited.
 */
export async function withPrimaryAudit<T>(input: CommandInput, primary: PrimaryToAudit, choose: () => Promise<T>): Promise<T> {
  const { dataFolder } = input.settings().config
  const clock = makeSystemClock()
  const isServed = (await callOperator(dataFolder, 'operator.status.get', {}, { timeoutMs: replyTimeoutMs }).catch(() => null)) !== null
  if (isServed) {
    const result = await choose()
    await recordByService(dataFolder, primary.host, clock)
    return result
  }
  const sink = openLogSink(STDERR)
  const log = makeLog('warn', sink, clock.now)
  const resources = createResources((err) => log.error('close_failed', { err }))
  try {
    const opened = await openKekFirst(input, primary, { clock, log, resources })
    const result = await choose()
    await writeEntry(primary, opened, { clock, log, resources })
    return result
  } finally {
    await resources.closeAll()
    sink.flush()
  }
}

/** It follows the choice within two seconds. Throws `ExitError` when it does not. */
async function recordByService(folder: string, host: string, clock: Pick<Clock, 'sleep'>): Promise<void> {
  for (let attempt = 1; attempt <= recordAttempts; attempt++) {
    const reply = await callOperator(folder, 'operator.store.recordPrimary', { host }, { timeoutMs: replyTimeoutMs }).catch(() => null)
    if (reply !== null && 'result' in reply) return
    await clock.sleep(recordEveryMs, never)
  }
  throw new ExitError('unavailable', `${host} is chosen, and the service on this data folder has not written the audit entry of it.`, {
    advice: 'See its log. When /readyz says ready, run this again: it begins one more epoch on the same server, and the entry is written.',
  })
}

interface AuditTools {
  readonly clock: Clock
  readonly log: Log
  readonly resources: Resources
}

async function openKekFirst(
  input: CommandInput,
  { chosen, openKeys }: PrimaryToAudit,
  { clock, log, resources }: AuditTools,
): Promise<OpenedAdapters> {
  const storedKeys = async () => {
    const keys = await openKeys()
    return keys.list().finally(() => keys.close())
  }
  // No service may start on the folder while custodians enter their shares at its control socket.
  if (await needsCustodians(chosen, storedKeys)) claimFolder(chosen, resources)
  const opened = waitForCustodians(input, { clock, log, stopping: never, resources, storedKeys, openKeys })
  const kek = await opened.adapters.openKek({
    ...adapterDependencies(chosen, { clock, log }, chosen.networkTimeoutMs),
    warn: log.warn,
    mayCreate: false,
  })
  kek.close()
  return opened
}

/** Into the audit of the chosen server, under the keys of the service. */
async function writeEntry({ host, chosen }: PrimaryToAudit, { adapters, custody }: OpenedAdapters, tools: AuditTools): Promise<void> {
  const { clock, log, resources } = tools
  const endNow = (_exit: unknown, event: string, err: unknown): never => {
    throw err instanceof Error ? err : new Error(event)
  }
  const deps = { clock, log, stopping: never, endNow, custody: custody.custody }
  const storage = await openStorage(chosen, adapters, deps, resources)
  await openAuditChain({ ...storage, clock, log, stopping: never, retry: (step) => step() })
  await custody.audit.attach(storage.store)
  const entry = { at: clock.now(), actor: 'operator', action: 'database.primary_chosen', merchantId: '', subject: host, version: 0 }
  await storage.store.write(insertAuditEntry, { audit: { ...entry, mac: new Uint8Array(0), requestId: '', outcome: 'done' } })
}

const STDERR = 2
const never = new AbortController().signal
/** A reply that is late would have the entry written twice. */
const replyTimeoutMs = 30_000
const recordAttempts = 20
const recordEveryMs = 1000
