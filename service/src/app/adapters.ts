import type { Kek } from '@tessera/vault/kek'
import type { CardRoute } from '@tessera/contract/route'
import { randomInteger } from '@tessera/vault/random'

import type { Clock } from '../clock.ts'
import type { Config } from '../ops/config/config.ts'
import type { Disclosure } from '../domain/consents/disclosure-text.ts'
import { usesHolderService } from '../domain/verification/policy.ts'
import type { LegalPages } from '../plain-page.ts'
import {
  AdapterConfigError,
  createAdapter,
  createAdapters,
  findAdapterFaults,
  keepsSessions,
  listChosenSettings,
  type ConfiguredAdapters,
  type NamedPort,
} from '../adapters/adapter.ts'
import type { KekAdapterDependencies } from '../adapters/kms/kek.ts'
import { fileKek } from '../adapters/kms/file-kek.ts'
import { holderAdapters } from '../adapters/holder/holder-adapters.ts'
import type { HolderAdapterDependencies, HolderService } from '../adapters/holder/holder.ts'
import { kekAdapters } from '../adapters/kms/kek-adapters.ts'
import { networkAdapters } from '../adapters/network/network-adapters.ts'
import { requireSeparateRoutes } from '../adapters/network/routes.ts'
import { smsAdapters } from '../adapters/sms/sms-adapters.ts'
import type { NamedNetwork, NetworkAdapterDependencies } from '../adapters/network/network.ts'
import { readNextKekSettings } from './next-kek-settings.ts'
import { InvalidSettingsError } from '../ops/config/sources.ts'
import { countWorkers } from '../ops/config/workers.ts'
import { sandboxCodes } from '../adapters/sandbox/cards.ts'
import { sandbox, type Sandbox } from '../adapters/sandbox/sandbox.ts'
import { sandboxDisclosure, sandboxLegal } from '../adapters/sandbox/legal.ts'
import { makeAdjustableClock, type ClockAdjuster } from '../adapters/sandbox/adjustable-clock.ts'
import { drawnCodes, type Codes } from '../adapters/sms/codes.ts'
import type { Sms, SmsAdapterDependencies } from '../adapters/sms/sms.ts'

/** Everything that differs between the environments. */
export interface Adapters {
  /** Opens the key that wraps the data keys. */
  readonly openKek: (deps: KekAdapterDependencies) => Promise<Kek>
  /** Opens the key that is to replace it; null when none is named. */
  readonly openNextKek: (deps: KekAdapterDependencies) => Promise<Kek | null>
  readonly networks: (deps: NetworkAdapterDependencies) => readonly NamedNetwork[]
  readonly sms: (deps: SmsAdapterDependencies) => readonly NamedPort<Sms>[]
  /** Null where no verification policy checks the cardholder's phone with an outside service. */
  readonly holder: (deps: HolderAdapterDependencies) => HolderService | null
  readonly codes: Codes
  /** The time of the service, and what moves it; the machine's own in production. */
  readonly time: (machine: Clock) => { readonly clock: Clock; readonly mover: ClockAdjuster | null }
  /** Whether calls are limited when the setting does not say. */
  readonly limits: boolean
  /** Whether pages of any origin may call, or only registered ones. */
  readonly isAnyOriginAllowed: boolean
  /** Whether webhooks may be sent to this machine, by plain http. */
  readonly webhooksToLoopback: boolean
  /** Default legal texts in place of the provider's; null in production. */
  readonly texts: ProviderTexts | null
  /** Null in production. */
  readonly sandbox: Sandbox | null
}

export interface ProviderTexts {
  readonly disclosure: Disclosure
  readonly legal: LegalPages
}

/** The whole difference between the environments is these two rows. Null: this version has nothing to put there. */
export const adaptersOf: Readonly<Record<Config['environment'], OrNothing<EnvironmentAdapters>>> = Object.freeze({
  test: {
    codes: sandboxCodes,
    time: makeAdjustableClock,
    limits: false,
    isAnyOriginAllowed: true,
    webhooksToLoopback: true,
    texts: { disclosure: sandboxDisclosure, legal: sandboxLegal },
    sandbox,
  },
  production: {
    codes: drawnCodes(randomInteger),
    time: (machine) => ({ clock: machine, mover: null }),
    limits: true,
    isAnyOriginAllowed: false,
    webhooksToLoopback: false,
    texts: null,
    sandbox: null,
  },
})

/** What the environment determines; the adapters of the ports are chosen by settings. */
export type EnvironmentAdapters = Omit<Adapters, 'openKek' | 'openNextKek' | 'networks' | 'sms' | 'holder'>

/** The adapters of the ports, chosen by settings. */
export function externalAdapters(config: Config): Pick<Adapters, 'openKek' | 'openNextKek' | 'networks' | 'sms' | 'holder'> {
  const configured = configuredAdapters(config)
  return {
    openKek: (deps) => createAdapter(kekAdapters, configured, deps),
    openNextKek: async (deps) => {
      const next = readNextKekSettings(config)
      return next === null ? null : createAdapter(kekAdapters, next, deps)
    },
    networks: (deps) => createAdapters(networkAdapters, configured, deps),
    sms: (deps) => createAdapters(smsAdapters, configured, deps),
    holder: (deps) => (usesHolderService(config) ? createAdapter(holderAdapters, configured, deps) : null),
  }
}

/** How many threads answer calls with these settings. */
export function workersOf(config: Config): number {
  const configured = configuredAdapters(config)
  return countWorkers(config, keepsSessions(smsAdapters, configured) || keepsSessions(networkAdapters, configured))
}

/** Whether the KEK is the development file, which the first start generates. */
export function isDevelopmentKek(config: Config): boolean {
  return isKekProvider(config, fileKek.name)
}

/** Whether this provider of the key encryption key is chosen: by `TESSERA_KEK`, or by default in the test environment. */
export function isKekProvider(config: Config, name: string): boolean {
  return kekSettingOf(config) === name
}

/** The provider of the key encryption key, as `TESSERA_KEK` names it. */
export function kekSettingOf(config: Config): string {
  const chosen = configuredAdapters(config).values[kekAdapters.port]
  return typeof chosen === 'string' ? chosen : kekAdapters.defaultForTest
}

/** Why the chosen provider of the key encryption key cannot be used; one sentence each. */
export function findKekFaults(config: Config): string[] {
  return [...findAdapterFaults(kekAdapters, configuredAdapters(config)), ...findNextKekFaults(config)]
}

/** Those of the file that names the next KEK. */
function findNextKekFaults(config: Config): string[] {
  const inFile = (fault: string): string => `in ${String(config.kekNextFile)}: ${fault}`
  try {
    const next = readNextKekSettings(config)
    return next === null ? [] : findAdapterFaults(kekAdapters, next).map(inFile)
  } catch (err) {
    if (err instanceof InvalidSettingsError) return err.faults.map(inFile)
    throw err
  }
}

/** Why the chosen adapters cannot be used; one sentence each. */
export function findExternalAdapterFaults(config: Config): string[] {
  const configured = configuredAdapters(config)
  return [
    ...findKekFaults(config),
    ...findNetworkFaults(configured),
    ...findAdapterFaults(smsAdapters, configured),
    ...(usesHolderService(config) ? findAdapterFaults(holderAdapters, configured) : []),
  ]
}

/** Those of each network, and then of their routes together. The sandbox has no routes of its own in the settings. */
function findNetworkFaults(configured: ConfiguredAdapters): string[] {
  const faults = findAdapterFaults(networkAdapters, configured)
  if (faults.length > 0) return faults
  const chosen = listChosenSettings(networkAdapters, configured).map(({ name, settings }) => {
    const routes = settings['routes'] as readonly CardRoute[] | undefined
    return { name, port: { routes: routes ?? [] } }
  })
  try {
    requireSeparateRoutes(chosen)
    return []
  } catch (err) {
    if (err instanceof AdapterConfigError) return [err.message]
    throw err
  }
}

function configuredAdapters(config: Config): ConfiguredAdapters {
  return { environment: config.environment, values: config }
}

type OrNothing<T> = {
  readonly [part in keyof T]: part extends 'time' | 'codes' ? T[part] : T[part] extends boolean ? T[part] : T[part] | null
}
