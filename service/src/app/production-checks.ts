import { existsSync, statSync } from 'node:fs'
import inspector from 'node:inspector'

import { settings, type Config } from '../ops/config/config.ts'
import { findTransportFaults } from '../ops/config/private-transports.ts'
import { findPolicyFaults } from '../domain/verification/policy.ts'
import { canSharePort } from '../ops/config/workers.ts'
import { ExitError } from '../ops/exits.ts'
import { findDashboardUserByPhone } from '../store/dashboard-users.ts'
import { findMerchant } from '../store/merchants.ts'
import type { DatabaseInspection } from '../store/inspection.ts'
import { listInbox, listScenarioSteps } from '../store/sandbox.ts'
import { PrimaryRefused, type Store } from '../store/store.ts'

import { sandbox } from '../adapters/sandbox/sandbox.ts'
import { isLoopbackHost } from './admin-access.ts'
import { adaptersOf, externalAdapters, findExternalAdapterFaults, type Adapters } from './adapters.ts'
import { findDatabaseTransportFaults, isSameDatabase } from './database-transport.ts'
import { dataFolderPaths, foreignFolderMessage, readEnvironment } from './data-folder.ts'
import { inspectDatabase } from './inspect-database.ts'

/** The adapters that settings and environment choose; `requireEnvironment` says whether they can be used. */
export function chooseAdapters(config: Config): Adapters {
  return { ...adaptersOf[config.environment], ...externalAdapters(config) }
}

/**
 * Throws `ExitError` with every reason why the environment refuses these settings, this process or this data. Changes nothing. A database that does not
 * respond is no reason by itself: a start waits for it, and then `requireNoTestData` looks at it.
 */
export async function requireEnvironment(config: Config): Promise<void> {
  const isTest = config.environment === 'test'
  const faults = [
    ...findPolicyFaults(config),
    ...findExternalAdapterFaults(config),
    ...findTransportFaults(settings, config),
    ...(config.workers !== null && config.workers > 1 && !canSharePort() ? [cannotSharePort] : []),
    ...(isTest ? [] : findProductionFaults(config)),
  ]
  const testData = isTest ? [] : await findTestData(config)
  if (faults.length > 0 || testData.some((fault) => !fault.startsWith(notInspected))) throw refusedStart(config, [...faults, ...testData])
}

/** Throws `ExitError` when a production start would use the database of a test environment. */
export async function requireNoTestData(config: Config, database: DatabaseInspection): Promise<string> {
  if (config.environment === 'test') return 'not looked for, in the test environment'
  const faults = database.hasSchema ? await findSandboxLeftovers(database, sandbox.merchantId, sandbox.demo.dashboardPhone) : []
  if (faults.length > 0) throw refusedStart(config, faults)
  return 'none'
}

function refusedStart({ environment }: Config, faults: readonly string[]): ExitError {
  const isIncomplete = faults.some((fault) => fault.startsWith('missing: '))
  return new ExitError('invalidSettings', [`a ${environment} start is refused:`, ...faults].join('\n'), {
    advice: isIncomplete ? initAdvice : '',
  })
}

const cannotSharePort =
  'forbidden: TESSERA_WORKERS is above 1, and this system does not share the connections of a port among threads: set it to 1, and run several services on PostgreSQL.'
const notInspected = 'unknown: the database could not be inspected'
const initAdvice = 'Run `tessera init`: it prompts for the missing settings and writes them to a file.'

/** Test data in the database of a production start. */
async function findTestData({ dataFolder, databaseUrl }: Config): Promise<string[]> {
  if (databaseUrl === null && readEnvironment(dataFolder) === 'test') return []
  try {
    const database = await inspectDatabase('cards', databaseUrl, dataFolder)
    try {
      return database.hasSchema ? await findSandboxLeftovers(database, sandbox.merchantId, sandbox.demo.dashboardPhone) : []
    } finally {
      await database.close()
    }
  } catch (err) {
    if (err instanceof PrimaryRefused) throw err
    return [`${notInspected} (${err instanceof Error ? err.message : String(err)}).`]
  }
}

/** Everything in settings, process and data folder that production refuses. */
export function findProductionFaults(config: Config): string[] {
  return [
    ...missingSettings(config),
    ...forbiddenSettings(config),
    ...findDatabaseTransportFaults(config),
    ...folderFaults(config.dataFolder),
    ...debuggerFaults(),
  ]
}

/** Data of a test environment in a store. The password of a demo merchant is public. */
export async function findSandboxLeftovers(store: Pick<Store, 'read'>, demoMerchantId: string, demoPhone: string): Promise<string[]> {
  const [demo, login, steps, inbox] = await Promise.all([
    store.read(findMerchant(demoMerchantId)),
    store.read(findDashboardUserByPhone(demoPhone)),
    store.read(listScenarioSteps(demoMerchantId)),
    store.read(listInbox(1)),
  ])
  return [
    ...(demo === null ? [] : [`forbidden: the demo merchant ${demoMerchantId} is in the database; its password is public.`]),
    ...(login === null ? [] : ["forbidden: the sandbox's login to the dashboard is in the database; its password is public."]),
    ...(steps.length === 0 ? [] : ['forbidden: the database has scenario steps of the sandbox.']),
    ...(inbox.length === 0 ? [] : ["forbidden: the database has messages of the sandbox's SMS inbox."]),
  ]
}

function missingSettings(config: Config): string[] {
  const unset = required.filter(([name]) => config[name] === null).map(([, env]) => env)
  const keys = config.databaseUrl !== null && config.keysDatabaseUrl === null ? ['TESSERA_KEYS_DATABASE_URL'] : []
  return [...unset, ...keys].map((env) => `missing: ${env} is not set.`)
}

const required = [
  ['providerName', 'TESSERA_PROVIDER_NAME'],
  ['providerUrl', 'TESSERA_PROVIDER_URL'],
  ['termsUrl', 'TESSERA_TERMS_URL'],
  ['privacyUrl', 'TESSERA_PRIVACY_URL'],
  ['disclosure', 'TESSERA_DISCLOSURE'],
  ['formOrigin', 'TESSERA_FORM_ORIGIN'],
  ['dashboardOrigin', 'TESSERA_DASHBOARD_ORIGIN'],
] as const

function forbiddenSettings(config: Config): string[] {
  const { formOrigin, dashboardOrigin, apiOrigin, limits, databaseUrl, keysDatabaseUrl, dashboardPasswordCost } = config
  const faults: string[] = []
  if (isPlainForOthers(config)) {
    faults.push(
      `forbidden: TESSERA_HOST is ${config.host}, which other machines may reach by plain http. ` +
        'Set TESSERA_TLS_CERT_FILE and TESSERA_TLS_KEY_FILE, or name the proxy in front in TESSERA_TRUSTED_PROXIES.',
    )
  }
  if (apiOrigin !== null && !isHttps(apiOrigin)) faults.push('forbidden: TESSERA_API_ORIGIN is not https.')
  if (apiOrigin !== null && dashboardOrigin !== null && new URL(apiOrigin).hostname === new URL(dashboardOrigin).hostname) {
    faults.push('forbidden: API and dashboard are on one host name; give each its own.')
  }
  if (formOrigin !== null && !isHttps(formOrigin)) faults.push('forbidden: TESSERA_FORM_ORIGIN is not https.')
  if (dashboardOrigin !== null && !isHttps(dashboardOrigin)) faults.push('forbidden: TESSERA_DASHBOARD_ORIGIN is not https.')
  if (formOrigin !== null && dashboardOrigin !== null && new URL(formOrigin).hostname === new URL(dashboardOrigin).hostname) {
    faults.push('forbidden: form and dashboard are on one host name, so they would share cookies; give each its own.')
  }
  if (isPlainForTraces(config)) {
    faults.push(
      'forbidden: TESSERA_TRACES_ENDPOINT is http to another machine. Name a collector on this machine or an https URL, or set TESSERA_TRACES_TRANSPORT=private with a reason.',
    )
  }
  if (limits === false) faults.push('forbidden: TESSERA_LIMITS is off.')
  if (dashboardPasswordCost < 17) faults.push('forbidden: TESSERA_DASHBOARD_PASSWORD_COST is below 17.')
  if (databaseUrl !== null && keysDatabaseUrl !== null && isSameDatabase(databaseUrl, keysDatabaseUrl)) {
    faults.push('forbidden: TESSERA_KEYS_DATABASE_URL is the database of the cards; a backup of the cards must not hold their keys.')
  }
  return faults
}

/** Card numbers would travel in the clear. */
function isPlainForOthers({ host, tlsCertFile, trustedProxies }: Config): boolean {
  return tlsCertFile === null && trustedProxies === null && !isLoopbackHost(host)
}

/** Ids of merchants and requests would travel in the clear, with the header that the receiver requires. */
function isPlainForTraces({ tracesEndpoint, tracesTransport }: Config): boolean {
  if (tracesEndpoint === null || tracesTransport === 'private') return false
  const { protocol, hostname } = new URL(tracesEndpoint)
  return protocol === 'http:' && !isLoopbackHost(hostname)
}

function folderFaults(folder: string): string[] {
  if (!existsSync(folder)) return []
  const recorded = readEnvironment(folder)
  const isOpen = (statSync(folder).mode & 0o077) !== 0
  return [
    ...(recorded === null || recorded === 'production' ? [] : [`forbidden: ${foreignFolderMessage(folder, recorded, 'production')}`]),
    ...(existsSync(dataFolderPaths(folder).kek) ? [`forbidden: the data folder ${folder} has a development key.`] : []),
    ...(isOpen ? [`forbidden: the data folder ${folder} is open to other users: chmod 700 it.`] : []),
  ]
}

/** Anyone who can connect to the inspector can read the keys. */
function debuggerFaults(): string[] {
  return inspector.url() === undefined ? [] : ['forbidden: a debugger is open on this process (--inspect).']
}

function isHttps(origin: string): boolean {
  return origin.startsWith('https://')
}
