import type { Kek } from '@tessera/vault/kek'
import type { KeyStore } from '@tessera/vault/keyring'

import type { SandboxScenario } from '../cli/sandbox-answers.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config/config.ts'
import type { Disclosure } from '../form/disclosure.ts'
import type { LegalPages } from '../form/legal.ts'
import { openFileKek } from '../kms/file.ts'
import type { Network } from '../network/network.ts'
import type { Demo } from './running.ts'
import { stepByDefault, steps, testCards, testExpiry, type TestCard } from '../sandbox/cards.ts'
import { sandboxCode, sandboxCodes } from '../sandbox/codes.ts'
import { demoLogin, demoMerchant } from '../sandbox/demo.ts'
import { sandboxDisclosure, sandboxLegal } from '../sandbox/legal.ts'
import { faultByDefault, methodFaults } from '../sandbox/faults.ts'
import { makeMovedClock, offsetMaxMs, type TimeMover } from '../sandbox/moved-clock.ts'
import { makeSandboxNetwork } from '../sandbox/network.ts'
import { rehearsalByDefault, rehearsals, rehearsalScenario } from '../sandbox/rehearsal.ts'
import { makeSandboxSms } from '../sandbox/sms.ts'
import type { Codes } from '../sms/codes.ts'
import type { Sms } from '../sms/sms.ts'
import { openSqliteKeyStore } from '../store/sqlite/keys.ts'
import { openSqliteStore } from '../store/sqlite/sqlite.ts'
import type { Store } from '../store/store.ts'

/** What stands between the service and the outside in one environment. */
export interface Adapters {
  /** Opens the key that locks the data keys. */
  readonly openKek: (path: string) => Promise<Kek>
  readonly network: (parts: OutsideParts) => Network
  readonly sms: (parts: OutsideParts) => Sms
  readonly codes: Codes
  /** The time of the service, and what moves it; the machine's own in production. */
  readonly time: (machine: Clock) => { readonly clock: Clock; readonly mover: TimeMover | null }
  /** Whether calls are limited when the setting does not say. */
  readonly limits: boolean
  /** Whether pages of any origin may call, or the merchants' own alone. */
  readonly isAnyOriginWelcome: boolean
  /** Whether the form measures a theme's contrast, and tells whoever is trying it. */
  readonly isThemeMeasured: boolean
  /** Whether webhooks may go to this machine itself, and there by plain http. */
  readonly webhooksToLoopback: boolean
  /** What stands for the provider's own words where its settings name none; null in production. */
  readonly texts: ProviderTexts | null
  /** Null in production. */
  readonly sandbox: Sandbox | null
}

export interface ProviderTexts {
  readonly disclosure: Disclosure
  readonly legal: LegalPages
}

export interface OutsideParts {
  readonly store: Store
  readonly clock: Clock
}

/** What an environment has to rehearse with. */
export interface Sandbox {
  readonly merchant: { readonly id: string; readonly name: string; readonly password: string }
  readonly merchantId: string
  readonly demo: Demo
  readonly scenarios: readonly SandboxScenario[]
  readonly steps: readonly string[]
  readonly stepByDefault: string
  /** As the dashboard shows them, and the code that every one of them takes. */
  readonly cards: readonly TestCard[]
  readonly code: string
  /** What can be made to go wrong beside the scenarios of cards. */
  readonly faults: readonly { readonly scenario: string; readonly steps: readonly string[]; readonly byDefault: string }[]
  readonly offsetMaxMs: number
}

const faults = [
  { scenario: rehearsalScenario, steps: rehearsals, byDefault: rehearsalByDefault },
  ...Object.entries(methodFaults).map(([scenario, steps]) => ({ scenario, steps, byDefault: faultByDefault })),
]

export const sandbox: Sandbox = Object.freeze({
  merchant: demoMerchant,
  merchantId: demoMerchant.id,
  demo: {
    merchantId: demoMerchant.id,
    password: demoMerchant.password,
    dashboardPhone: demoLogin.phone,
    dashboardPassword: demoLogin.password,
    cardNumber: testCards[0]?.number ?? '',
    expiry: testExpiry,
  },
  scenarios: [
    ...testCards.flatMap(({ number, scenario }) => (scenario === null ? [] : [{ scenario: scenario.name, number }])),
    ...faults.map((row) => ({ ...row, number: 'every card' })),
  ],
  steps,
  stepByDefault,
  cards: testCards,
  code: sandboxCode,
  faults,
  offsetMaxMs,
})

/** The whole difference between the environments is these two rows. Null: this version has nothing to put there. */
export const adaptersOf: Readonly<Record<Config['environment'], OrNothing<Adapters>>> = Object.freeze({
  test: {
    openKek: openFileKek,
    network: makeSandboxNetwork,
    sms: makeSandboxSms,
    codes: sandboxCodes,
    time: makeMovedClock,
    limits: false,
    isAnyOriginWelcome: true,
    isThemeMeasured: true,
    webhooksToLoopback: true,
    texts: { disclosure: sandboxDisclosure, legal: sandboxLegal },
    sandbox,
  },
  production: {
    openKek: null,
    network: null,
    sms: null,
    codes: null,
    time: (machine) => ({ clock: machine, mover: null }),
    limits: true,
    isAnyOriginWelcome: false,
    isThemeMeasured: false,
    webhooksToLoopback: false,
    texts: null,
    sandbox: null,
  },
})

type OrNothing<T> = { readonly [part in keyof T]: part extends 'time' ? T[part] : T[part] extends boolean ? T[part] : T[part] | null }

/** What a store tells while it is opened, and what it does when it cannot know any more what is durable. */
export interface StoreEvents {
  readonly tell: (event: string, fields: Readonly<Record<string, unknown>>) => void
  readonly lost: (cause: Error) => void
}

/** Opens the store that the settings name. Throws `StoreUnavailable`, `MigrationRefused` and what the system says. */
export async function openStore(config: Config, { tell, lost }: StoreEvents): Promise<Store> {
  const { databaseUrl: url, dataFolder: folder, storeMegabytesMax } = config
  if (url === null) {
    const maxPages = storeMegabytesMax === null ? {} : { maxPages: storeMegabytesMax * PAGES_IN_MEGABYTE }
    return openSqliteStore({ folder, log: tell, exit: lost, ...maxPages })
  }
  // The driver is loaded where it is used: it is a twentieth of an idle service's memory.
  const { openPostgresStore } = await import('../store/postgres/postgres.ts')
  return openPostgresStore({ url, log: tell })
}

/** Opens the store of the wrapped data keys, as `openStore`. */
export async function openKeys({ keysDatabaseUrl, databaseUrl, dataFolder }: Config): Promise<KeyStore> {
  const url = keysDatabaseUrl ?? databaseUrl
  if (url === null) return openSqliteKeyStore(dataFolder)
  const { openPostgresKeyStore } = await import('../store/postgres/keys.ts')
  return openPostgresKeyStore({ url })
}

/** SQLite's pages are of 4 KiB. */
const PAGES_IN_MEGABYTE = 256
