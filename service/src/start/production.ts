import { existsSync, statSync } from 'node:fs'
import inspector from 'node:inspector'

import type { Config } from '../config/config.ts'
import { foreignFolder, placesIn, readEnvironment } from './folder.ts'
import type { Store } from '../store/store.ts'

/** What this version can put between itself and the outside in production; null where it has nothing. */
export interface OutsideAdapters {
  readonly openKek: unknown
  readonly network: unknown
  readonly sms: unknown
}

/** Everything that keeps a production start from being one, as far as settings, program and folder tell; empty when nothing does. */
export function productionFaults(config: Config, adapters: OutsideAdapters): string[] {
  return [
    ...missingAdapters(adapters),
    ...missingSettings(config),
    ...forbiddenSettings(config),
    ...folderFaults(config.dataFolder),
    ...debuggerFaults(),
  ]
}

/** What a test environment left in a store: a demo merchant's password is public, and so is its sandbox. */
export async function sandboxLeftIn(store: Store, demoMerchantId: string, demoPhone: string): Promise<string[]> {
  const [demo, login, steps, inbox] = await Promise.all([
    store.findMerchant(demoMerchantId),
    store.findDashboardUserByPhone(demoPhone),
    store.listScenarioSteps(demoMerchantId),
    store.listInbox(1),
  ])
  return [
    ...(demo === null ? [] : [`forbidden: the demo merchant ${demoMerchantId} is in the database; its password is public.`]),
    ...(login === null ? [] : ["forbidden: the sandbox's login to the dashboard is in the database; its password is public."]),
    ...(steps.length === 0 ? [] : ['forbidden: the database has scenario steps of the sandbox.']),
    ...(inbox.length === 0 ? [] : ["forbidden: the database has messages of the sandbox's SMS inbox."]),
  ]
}

function missingAdapters({ openKek, network, sms }: OutsideAdapters): string[] {
  const kek =
    'missing: a keeper of the key that locks the data keys (HSM or custodian shares); this version has the development file alone.'
  return [
    ...(openKek === null ? [kek] : []),
    ...(network === null ? ['missing: a card network; this version has the sandbox alone.'] : []),
    ...(sms === null ? ['missing: an SMS gateway; this version has the sandbox alone.'] : []),
  ]
}

function missingSettings(config: Config): string[] {
  const unset = required.filter(([name]) => config[name] === null).map(([, env]) => env)
  const keys = config.databaseUrl !== null && config.keysDatabaseUrl === null ? ['TESSERA_KEYS_DATABASE_URL'] : []
  return [...unset, ...keys].map((env) => `missing: ${env} is not set.`)
}

const required = [
  ['providerName', 'TESSERA_PROVIDER_NAME'],
  ['termsUrl', 'TESSERA_TERMS_URL'],
  ['privacyUrl', 'TESSERA_PRIVACY_URL'],
  ['disclosure', 'TESSERA_DISCLOSURE'],
  ['formOrigin', 'TESSERA_FORM_ORIGIN'],
  ['dashboardOrigin', 'TESSERA_DASHBOARD_ORIGIN'],
] as const

function forbiddenSettings({ formOrigin, dashboardOrigin, limits, databaseUrl, keysDatabaseUrl }: Config): string[] {
  const faults: string[] = []
  if (formOrigin !== null && !isHttps(formOrigin)) faults.push('forbidden: TESSERA_FORM_ORIGIN is not https.')
  if (dashboardOrigin !== null && !isHttps(dashboardOrigin)) faults.push('forbidden: TESSERA_DASHBOARD_ORIGIN is not https.')
  if (formOrigin !== null && dashboardOrigin !== null && new URL(formOrigin).hostname === new URL(dashboardOrigin).hostname) {
    faults.push('forbidden: form and dashboard are on one host name, so they would share cookies; give each its own.')
  }
  if (limits === false) faults.push('forbidden: TESSERA_LIMITS is off.')
  if (databaseUrl !== null && databaseUrl === keysDatabaseUrl) {
    faults.push('forbidden: TESSERA_KEYS_DATABASE_URL is the database of the cards; a backup of the cards must not hold their keys.')
  }
  return faults
}

function folderFaults(folder: string): string[] {
  if (!existsSync(folder)) return []
  const recorded = readEnvironment(folder)
  const isOpen = (statSync(folder).mode & 0o077) !== 0
  return [
    ...(recorded === null || recorded === 'production' ? [] : [`forbidden: ${foreignFolder(folder, recorded, 'production')}`]),
    ...(existsSync(placesIn(folder).kek) ? [`forbidden: the data folder ${folder} has a development key.`] : []),
    ...(isOpen ? [`forbidden: the data folder ${folder} is open to other users: chmod 700 it.`] : []),
  ]
}

/** Whoever reaches the inspector reads the keys. */
function debuggerFaults(): string[] {
  return inspector.url() === undefined ? [] : ['forbidden: a debugger is open on this process (--inspect).']
}

function isHttps(origin: string): boolean {
  return origin.startsWith('https://')
}
