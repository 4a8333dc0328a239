import type { Keyring } from '@tessera/vault/keyring'

import { verifyKeyStore } from '../domain/keys/verify-key-store.ts'
import { KeyStoreMismatch } from '../domain/keys/key-store-mismatch.ts'
import { describePolicy, listPolicies } from '../domain/verification/policy.ts'
import type { Config } from '../ops/config/config.ts'
import { ExitError } from '../ops/exits.ts'
import { tryListen } from '../server/http/try-listen.ts'
import { readDashboardAssets } from '../server/pages/dashboard-assets.ts'
import { readDocsPages } from '../server/pages/docs-pages.ts'
import { readFormAssets } from '../server/pages/form-assets.ts'
import type { DatabaseInspection } from '../store/inspection.ts'

import { readAdminAccess } from './admin-access.ts'
import { dashboardFolder, formFolder } from './built-files.ts'
import { checkDatabaseFiles } from './database-files.ts'
import { requireFolder } from './data-folder.ts'
import { readHandOverSettings } from './hand-over.ts'
import { checkMove, requireStoreOfFolder } from './move-check.ts'
import { requireEnvironment, requireNoTestData } from './production-checks.ts'
import type { StartSubject } from './start-subject.ts'
import { readListenerTls } from './tls-files.ts'

/**
 * One thing that a start needs. A start runs the checks in order and ends at the first that fails; `tessera doctor` runs all of them and reports each.
 * A check changes nothing. A new one is an entry in `startChecks`.
 */
export interface StartCheck {
  /** As `tessera doctor` shows it. */
  readonly name: string
  /**
   * `folder`: first. `machine`: what listening needs, before anything listens. `data`: afterwards, while `/readyz` says `starting`, since a database may
   * have to be waited for. A command that opens the database without listening needs `folder` and `data`. `open`: what opening the database finds out, and
   * a start waits for; only `tessera doctor` runs it.
   */
  readonly stage: 'folder' | 'machine' | 'data' | 'open'
  /** Returns what was found. Throws an error that `explainStart` turns into an exit code and a message that says what to do. */
  readonly run: (subject: StartSubject) => Promise<string> | string
}

// prettier-ignore
export const startChecks: readonly StartCheck[] = Object.freeze<StartCheck[]>([
  { name: 'environment',  stage: 'folder',  run: checkEnvironment },
  { name: 'verification policy', stage: 'folder', run: ({ config }) => describePolicies(config) },
  { name: 'data folder',  stage: 'folder',  run: checkDataFolder },
  { name: 'hand-over',    stage: 'folder',  run: checkHandOver },
  { name: 'service',      stage: 'folder',  run: ({ claim }) => claim() },
  { name: 'card form',    stage: 'machine', run: checkForm },
  { name: 'dashboard',    stage: 'machine', run: checkDashboard },
  { name: 'TLS',          stage: 'machine', run: checkTls },
  { name: 'port',         stage: 'machine', run: checkApiPort },
  { name: 'adminPort',    stage: 'machine', run: checkAdminPort },
  { name: 'database files', stage: 'data',  run: checkDatabaseFiles },
  { name: 'database',     stage: 'data',    run: async ({ config, database }) => checkDatabase(await database(), config.databaseUrl) },
  { name: 'move',         stage: 'data',    run: checkMove },
  { name: 'schema',       stage: 'data',    run: async ({ database }) => checkSchema(await database()) },
  { name: 'test data',    stage: 'data',    run: async ({ config, database }) => requireNoTestData(config, await database()) },
  { name: 'key store',    stage: 'data',    run: checkKeyStore },
  { name: 'KEK',          stage: 'data',    run: checkKek },
  { name: 'data keys',    stage: 'data',    run: checkDataKeys },
  { name: 'stored rows',  stage: 'data',    run: checkStoredRows },
  { name: 'primary',      stage: 'open',    run: checkPrimary },
])

/** Runs the checks of a stage. Throws the error of the first that fails. */
export async function requireStartChecks(subject: StartSubject, stage: StartCheck['stage']): Promise<void> {
  for (const check of startChecks) if (check.stage === stage) await check.run(subject)
}

async function checkEnvironment({ config }: StartSubject): Promise<string> {
  await requireEnvironment(config)
  return config.environment
}

/** The values in force; a policy that is not possible was refused by the check of the environment. */
function describePolicies(config: Config): string {
  return listPolicies(config)
    .map(({ network, policy }) => `${network === 'all' ? config.verificationPolicy : network}: ${describePolicy(policy)}`)
    .join('; ')
}

function checkDataFolder({ config, marker }: StartSubject): string {
  const { dataFolder, environment } = config
  requireFolder(dataFolder, environment)
  const was = marker()
  requireStoreOfFolder(config, was)
  if (was === null) return 'not used by a start yet'
  return was.store === 'sqlite' ? 'used with its embedded database' : 'used with PostgreSQL'
}

function checkHandOver({ config, now }: StartSubject): string {
  const settings = readHandOverSettings(config, now())
  if (settings === null) return 'none: each node has a ceremony of its own, where custodians hold the KEK'
  const { port, peers, key } = settings
  const own = port === null ? '' : `on port ${String(port)}`
  const asked = key === null ? '' : `as node ${key.name} from ${String(peers.length)} nodes`
  return [own, asked].filter((each) => each !== '').join(', ')
}

function checkForm(): string {
  return `built, version ${readFormAssets(formFolder).version}`
}

function checkDashboard(): string {
  return `built, ${readDashboardAssets(dashboardFolder).files.size} files, ${readDocsPages(dashboardFolder).size} of the documentation`
}

async function checkApiPort({ config, isServing }: StartSubject): Promise<string> {
  const { host, port, adminHost, adminPort } = config
  if (port !== 0 && port === adminPort && overlap(host, adminHost)) {
    throw new ExitError(
      'invalidSettings',
      `TESSERA_PORT and TESSERA_ADMIN_PORT are both ${port}; the API and the health endpoints need a port each.`,
      {
        advice: 'Change one of them, or set it to 0 for any free port.',
      },
    )
  }
  return checkPort(host, port, isServing())
}

/** The certificate of API, form and dashboard. */
function checkTls({ config, now }: StartSubject): string {
  const tls = readListenerTls(config, now())
  if (tls !== null) return `${tls.names}, valid until ${new Date(tls.validUntil).toISOString().slice(0, 10)}`
  return config.trustedProxies === null ? 'none, plain http' : 'none, a proxy in front'
}

async function checkAdminPort({ config, isServing, now }: StartSubject): Promise<string> {
  const { token, tls } = readAdminAccess(config, now())
  const proof = [...(token === null ? [] : ['a token']), ...(tls?.clientCa === undefined ? [] : ['client certificates'])]
  const found = await checkPort(config.adminHost, config.adminPort, isServing())
  return proof.length === 0 ? found : `${found}, with ${proof.join(' and ')}`
}

/** Port 0 is tried as well, because the host may be no address of this machine. */
async function checkPort(host: string, port: number, isServing: boolean): Promise<string> {
  // The service may have been started with other ports.
  if (isServing) return 'not tried, the service runs'
  await tryListen({ host, port })
  return port === 0 ? `${host}, any free port` : `${host}:${port} is free`
}

/** Whether listeners on these two hosts take each other's ports. */
function overlap(...hosts: [string, string]): boolean {
  const [one, other] = hosts.map((host) => (host.toLowerCase() === 'localhost' ? '127.0.0.1' : host.toLowerCase()))
  return one === other || hosts.some((host) => host === '0.0.0.0' || host === '::')
}

function checkDatabase({ missingRights, durability }: DatabaseInspection, url: string | null): string {
  if (missingRights.length > 0) {
    const what = `${missingRights.map((right) => right.what).join(', and ')}.`
    throw new ExitError('invalidSettings', what, {
      advice: `As an administrator of the database: ${missingRights.map(({ grant }) => `${grant};`).join(' ')}`,
    })
  }
  if (url !== null) return `connected to a primary, durability ${durability ?? 'unknown'}`
  return durability === null ? 'embedded, created by the first start' : 'embedded'
}

async function checkPrimary({ config, database, keyStore }: StartSubject): Promise<string> {
  if (config.databaseUrl === null) return 'embedded, it has none'
  // An empty database has no primary of before: the checks above say what it lacks.
  for (const { hasSchema, primaryRefusal } of [await database(), await keyStore()])
    if (hasSchema && primaryRefusal !== null) throw primaryRefusal
  return 'not older than the one that was followed last'
}

function checkSchema(database: DatabaseInspection): string {
  const pending = database.pending()
  if (!database.hasSchema) return 'none, created by the start'
  if (database.laterMigrations > 0) return `of a later version, which added to it: ${String(database.laterMigrations)} migrations`
  return pending.length === 0 ? 'of this version' : `${pending.length} migrations are applied by the start`
}

async function checkKeyStore({ config, keyStore, storedKeys }: StartSubject): Promise<string> {
  const store = await keyStore()
  checkDatabase(store, config.keysDatabaseUrl ?? config.databaseUrl)
  checkSchema(store)
  const keys = await storedKeys()
  return store.hasSchema ? `${keys.length} keys` : 'none, created by the start'
}

async function checkDataKeys({ keyring }: StartSubject): Promise<string> {
  const live = (await keyring()).list().filter(({ state }) => state !== 'destroyed')
  return `${live.length} keys open`
}

async function checkKek({ kek, nextKek }: StartSubject): Promise<string> {
  const [current, next] = [await kek(), await nextKek()]
  if (current === null) return 'none, created by the first start'
  return next === null ? current.id : `${current.id}, to be replaced by ${next.id}`
}

/**
 * The database is the one that the folder was used with, and its rows are of the keys in the key store. Other processes write meanwhile: a row may be of a
 * key that was created after the keys were listed. A key is durable before anything is written with it, so keys that are listed after the rows were read
 * are complete, and a mismatch counts only if it is found with them too.
 */
async function checkStoredRows(subject: StartSubject): Promise<string> {
  try {
    return await verifyStoredRows(subject, await subject.keyring())
  } catch (err) {
    if (!(err instanceof KeyStoreMismatch)) throw err
    return verifyStoredRows(subject, await subject.newestKeyring())
  }
}

async function verifyStoredRows({ config, marker, database, stopping }: StartSubject, keyring: Keyring): Promise<string> {
  const [store, was] = [await database(), marker()]
  const keys = keyring.list()
  if (was?.key !== undefined && was.key !== null && !keys.some(({ keyId }) => keyId === was.key)) {
    const found = keys.length === 0 ? 'the key store is empty' : 'the key store does not have it'
    throw new KeyStoreMismatch(`the data folder was used with a key store that has the key ${was.key}, and ${found}`)
  }
  if (!store.hasSchema) {
    if (was !== null) throw missingDatabase(config)
    return 'none yet'
  }
  const { answers, rows } = await verifyKeyStore({
    store,
    keyring,
    environment: config.environment,
    isCurrent: store.pending().length === 0,
    stopping,
  })
  return `of these keys: ${answers} known answers, ${rows} sampled rows`
}

function missingDatabase({ databaseUrl, dataFolder }: Config): ExitError {
  const what = databaseUrl === null ? 'its tessera.db is missing or empty' : 'the database that TESSERA_DATABASE_URL names now is empty'
  return new ExitError('invalidSettings', `the data folder ${dataFolder} was used with a database, and ${what}.`, {
    advice:
      'Restore the database, or correct the setting. To begin again without the cards and merchants that were stored, ' +
      'use an empty database, an empty key store and an empty data folder.',
  })
}
