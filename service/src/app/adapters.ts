import type { Kek } from '@tessera/vault/kek'
import { randomInteger } from '@tessera/vault/random'

import type { Clock } from '../clock.ts'
import type { Config } from '../ops/config/config.ts'
import type { Disclosure } from '../domain/consents/disclosure-text.ts'
import type { LegalPages } from '../plain-page.ts'
import { createAdapter, findAdapterFaults, type ConfiguredAdapters } from '../adapters/adapter.ts'
import type { KekAdapterDependencies } from '../adapters/kms/kek.ts'
import { kekAdapters } from '../adapters/kms/kek-adapters.ts'
import { networkAdapters } from '../adapters/network/network-adapters.ts'
import { smsAdapters } from '../adapters/sms/sms-adapters.ts'
import type { Network, NetworkAdapterDependencies } from '../adapters/network/network.ts'
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
  readonly network: (deps: NetworkAdapterDependencies) => Network
  readonly sms: (deps: SmsAdapterDependencies) => Sms
  readonly codes: Codes
  /** The time of the service, and what moves it; the machine's own in production. */
  readonly time: (machine: Clock) => { readonly clock: Clock; readonly mover: ClockAdjuster | null }
  /** Whether calls are limited when the setting does not say. */
  readonly limits: boolean
  /** Whether pages of any origin may call, or only registered ones. */
  readonly isAnyOriginAllowed: boolean
  /** Whether the form measures the contrast of a theme and reports it to the page. */
  readonly isThemeMeasured: boolean
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
    isThemeMeasured: true,
    webhooksToLoopback: true,
    texts: { disclosure: sandboxDisclosure, legal: sandboxLegal },
    sandbox,
  },
  production: {
    codes: drawnCodes(randomInteger),
    time: (machine) => ({ clock: machine, mover: null }),
    limits: true,
    isAnyOriginAllowed: false,
    isThemeMeasured: false,
    webhooksToLoopback: false,
    texts: null,
    sandbox: null,
  },
})

/** What the environment determines; the adapters of the ports are chosen by settings. */
export type EnvironmentAdapters = Omit<Adapters, 'openKek' | 'network' | 'sms'>

/** The adapters of the ports, chosen by settings. */
export function externalAdapters(config: Config): Pick<Adapters, 'openKek' | 'network' | 'sms'> {
  const configured = configuredAdapters(config)
  return {
    openKek: (deps) => createAdapter(kekAdapters, configured, deps),
    network: (deps) => createAdapter(networkAdapters, configured, deps),
    sms: (deps) => createAdapter(smsAdapters, configured, deps),
  }
}

/** Why the chosen adapters cannot be used; one sentence each. */
export function findExternalAdapterFaults(config: Config): string[] {
  const configured = configuredAdapters(config)
  return [
    ...findAdapterFaults(kekAdapters, configured),
    ...findAdapterFaults(networkAdapters, configured),
    ...findAdapterFaults(smsAdapters, configured),
  ]
}

function configuredAdapters(config: Config): ConfiguredAdapters {
  return { environment: config.environment, values: config }
}

type OrNothing<T> = {
  readonly [part in keyof T]: part extends 'time' | 'codes' ? T[part] : T[part] extends boolean ? T[part] : T[part] | null
}
