import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Profile } from '@tessera/contract/envelope'
import { openKeyring, type Keyring, type KeyStore } from '@tessera/vault/keyring'

import { cardFigures, type CardFigures } from '../cards/figures.ts'
import { makeCards } from '../cards/cards.ts'
import { makeCardMac } from '../cards/mac.ts'
import { makeEvidence } from '../compliance/evidence.ts'
import { makeFindings, type Findings } from '../compliance/findings.ts'
import { makeConsents } from '../consents/consents.ts'
import { makeDisclosures, type Disclosures } from '../consents/disclosures.ts'
import { openControls } from '../dashboard/controls.ts'
import { makeReset } from '../dashboard/reset.ts'
import { sandbox as rehearsing } from '../start/adapters.ts'
import { rehearsedCapsOf } from '../start/limiting.ts'
import { makeRehearsedLimits } from '../start/rehearsing.ts'
import { noLimits } from '../rpc/limits.ts'
import { noThrottle } from '../rpc/password-throttle.ts'
import { makeMovedClock, offsetMaxMs } from '../sandbox/moved-clock.ts'
import { makeCardLists } from '../dashboard/cards.ts'
import { makeCodeLists } from '../dashboard/codes.ts'
import { makeDashboard } from '../dashboard/dashboard.ts'
import { dashboardFigures } from '../dashboard/figures.ts'
import { makeOverview } from '../dashboard/overview.ts'
import { makePasswords } from '../dashboard/passwords.ts'
import { makeStart } from '../dashboard/start.ts'
import { makeTallies, type Tallies } from '../dashboard/tallies.ts'
import { makeWebhookDesk } from '../dashboard/webhooks.ts'
import { makeServedForms, type ServedForms } from '../form-sessions/served.ts'
import { hashDisclosure } from '../form/disclosure.ts'
import { makeHostedSessions } from '../form-sessions/hosted.ts'
import { makeFormSessions, type FormSessionParts } from '../form-sessions/form-sessions.ts'
import { makeFormSessionRows } from '../form-sessions/rows.ts'
import { noEndpoint, type MerchantEndpoint } from '../endpoint/endpoint.ts'
import { noFailureBreaker, type FailureBreaker } from '../limits/failures.ts'
import { noSmsGuard, type SmsGuard } from '../limits/sms-guard.ts'
import { noFineLimits, type FineLimits } from '../limits/fine.ts'
import { makeMerchants, type Merchants } from '../merchants/merchants.ts'
import type { Network } from '../network/network.ts'
import { makePageCheck } from '../page-check/page-check.ts'
import { notChecked, type FetchPage } from '../page-check/fetch-page.ts'
import type { Parse } from '../page-check/parse.ts'
import { receiptFigures, type ReceiptFigures } from '../receipts/figures.ts'
import { makeGuard } from '../outbound/guard.ts'
import { resolveBySystem } from '../outbound/resolve.ts'
import { makeReceipts } from '../receipts/receipts.ts'
import { makeRequestLists } from '../request-log/lists.ts'
import { makeSettle, type Settle } from '../receipts/settle.ts'
import { sandboxDisclosure } from '../sandbox/legal.ts'
import { makeSandboxNetwork } from '../sandbox/network.ts'
import { testCards, testExpiry } from '../sandbox/cards.ts'
import { sandboxCode, sandboxCodes } from '../sandbox/codes.ts'
import { demoMerchant } from '../sandbox/demo.ts'
import { makeSandboxSms } from '../sandbox/sms.ts'
import type { Codes } from '../sms/codes.ts'
import type { Sms } from '../sms/sms.ts'
import { openSqliteKeyStore } from '../store/sqlite/keys.ts'
import { openSqliteStore } from '../store/sqlite/sqlite.ts'
import type { Store } from '../store/store.ts'
import { verificationFigures, type VerificationFigures } from '../verification/figures.ts'
import { makeVerification } from '../verification/verification.ts'

import { makeEndpoints } from '../webhooks/endpoints.ts'
import { webhookFigures } from '../webhooks/figures.ts'
import { makePost } from '../webhooks/post.ts'

import { makeCaller, type Caller } from './caller.fixture.ts'
import { makeHandClock, type HandClock } from './clock.fixture.ts'
import { randomHex } from './drawn.fixture.ts'
import { makeGrid, type GridParts } from './index.ts'
import type { PageOf } from './form.sessions.create.ts'
import { makeTestKek } from './kek.fixture.ts'
import type { Grid } from './method.ts'

/** The service from the grid inwards, on a store of its own, with a clock that the test moves: what the grid is given, and what stands behind it. */
export interface House extends Omit<GridParts, 'limits' | 'failures' | 'version'> {
  readonly store: Store
  readonly keyring: Keyring
  readonly clock: HandClock
  readonly merchants: Merchants
  readonly settle: Settle
  readonly sessions: ReturnType<typeof makeFormSessions>
  readonly disclosures: Disclosures
  readonly served: ServedForms
  readonly tallies: Tallies
  readonly findings: Findings
  readonly grid: Grid
  readonly environment: string
  readonly endpoint: MerchantEndpoint
  /** What was told of rows that are not as we wrote them. */
  readonly alarms: string[]
  /** Someone who calls: a merchant of its own, unless it is told which. */
  caller(profile?: Profile, merchantId?: string): Caller
  close(): Promise<void>
}

export interface HouseOptions {
  readonly cards?: Partial<CardFigures>
  readonly verification?: Partial<VerificationFigures>
  readonly receipts?: Partial<ReceiptFigures>
  /** Whether a cancellation brings the money back at once, without waiting for `settle.runOnce()`. */
  readonly kicks?: boolean
  readonly codes?: Codes
  /** Takes the sandbox's adapter and gives the one to use. */
  readonly network?: (sandbox: Network) => Network
  readonly sms?: (sandbox: Sms) => Sms
  readonly smsGuard?: (parts: Pick<House, 'clock'>) => SmsGuard
  readonly failures?: (parts: Pick<House, 'clock'>) => FailureBreaker
  /** The merchants' own; nobody has one otherwise. */
  readonly endpoint?: (parts: Pick<House, 'clock'>) => MerchantEndpoint
  readonly environment?: string
  readonly sessions?: Partial<FormSessionParts>
  readonly limits?: (parts: Pick<House, 'keyring' | 'clock'>) => FineLimits
  /** Where a page check reads pages; nowhere, and nothing is found, without it. */
  readonly pages?: { readonly fetchPage: FetchPage; readonly parse: Parse }
  /** A store that whoever opened it closes; otherwise one in a folder of the house. */
  readonly store?: Store
  /** Of a house that fell: its keys and its clock, for one that is built on the same store. */
  readonly after?: Pick<House, 'keyring' | 'clock' | 'endpoint'>
}

export async function compose(options: HouseOptions = {}): Promise<House> {
  const folder = options.after === undefined ? mkdtempSync(join(tmpdir(), 'tessera-house-')) : null
  const hand = options.after?.clock ?? makeHandClock()
  const { clock, mover } = makeMovedClock(hand)
  const environment = options.environment ?? 'test'
  const store = options.store ?? (await openSqliteStore({ folder: folder ?? noFolder(), exit: crash }))
  const keys = folder === null ? null : await openSqliteKeyStore(folder)
  const keyring = options.after?.keyring ?? (await openKeys(keys, environment, hand))
  const sandbox = makeSandboxNetwork({ store, clock })
  const network = options.network?.(sandbox) ?? sandbox
  const inbox = makeSandboxSms({ store, clock })
  const sms = options.sms?.(inbox) ?? inbox
  const codes = options.codes ?? sandboxCodes
  const endpoint = options.after?.endpoint ?? options.endpoint?.({ clock: hand }) ?? noEndpoint
  const alarms: string[] = []
  const alarm = (event: string, { merchantId, cardId, receiptId }: { merchantId: string; cardId: string; receiptId?: string }) =>
    void alarms.push(`${event} ${receiptId ?? (cardId || merchantId)}`)
  const cards = makeCards({ store, keyring, network, clock, environment, figures: { ...cardFigures, ...options.cards }, alarm })
  const figures = { ...verificationFigures, limits: false, ...options.verification }
  const { rehearsal } = makeRehearsedLimits(() => noSet, noSet)
  const rehearsed = rehearsedCapsOf(rehearsal)
  const smsGuard = options.smsGuard?.({ clock: hand }) ?? noSmsGuard
  const verification = makeVerification({ store, keyring, network, sms, smsGuard, codes, cards, clock, figures, rehearsed })
  const merchants = makeMerchants({ store, keyring, clock, environment, alarm })
  const receiptParts = { store, keyring, network, sms, smsGuard, endpoint, cards, merchants, clock, environment, alarm, rehearsed }
  const moneyFigures = { ...receiptFigures, limits: false, ...options.receipts }
  const failed = (err: unknown) => void alarms.push(`failed ${String(err)}`)
  const settle = makeSettle({ ...receiptParts, figures: moneyFigures, failed })
  const receipts = makeReceipts({ ...receiptParts, figures: moneyFigures }, options.kicks === true ? settle : null)
  const limits = options.limits?.({ keyring, clock: hand }) ?? noFineLimits
  const rows = makeFormSessionRows({ store, keyring, environment, alarm })
  const sessions = makeFormSessions({
    store,
    rows,
    clock,
    merchants,
    isAnyOriginWelcome: true,
    isFormOrigin: (origin) => origin === hostedOrigin,
    ...options.sessions,
  })
  const hosted = makeHostedSessions({ store, rows, keyring, clock, environment, expectWayBack: sessions.expectWayBack })
  const { version, texts } = hashDisclosure(sandboxDisclosure)
  const issued = Object.entries(texts).map(([locale, { text, sha256 }]) => ({ version, locale, sha256, text }))
  const disclosures = makeDisclosures({ store, clock, texts: issued })
  await disclosures.keep()
  const served = makeServedForms({ keyring, clock, environment })
  const dashboard = makeDashboard({
    store,
    keyring,
    clock: hand,
    environment,
    alarm,
    figures: dashboardFigures,
    passwords: makePasswords({ cost: 4 }),
  })
  const testing = environment === 'test' ? { cards: testCards, expire: testExpiry, code: sandboxCode } : null
  const demo = { merchantId: demoMerchant.id, password: demoMerchant.password }
  const sdk = { version: '0.0.0', integrity: 'sha384-none', moduleIntegrity: 'sha384-none' }
  const guard = makeGuard({ resolve: resolveBySystem, loopback: true })
  const post = makePost({ guard, clock, timeoutMs: webhookFigures.timeoutMs })
  const endpoints = makeEndpoints({ store, keyring, environment, clock, guard, post, failed, figures: webhookFigures })
  const side = {
    webhookDesk: makeWebhookDesk({ store, clock }, endpoints),
    ...{
      dashboard,
      cardLists: makeCardLists({ store, keyring, environment, alarm }),
      tallies: makeTallies({ store, clock }),
      overview: makeOverview({ store, clock }),
    },
    codeLists: makeCodeLists({ store, clock, hasInbox: testing !== null }),
    requestLists: makeRequestLists(store),
    start: makeStart({ store, clock }, { formOrigin: null, sdk, testing: testing === null ? null : { ...testing, demo } }),
    ...(await makeControlling()),
  }
  async function makeControlling(): Promise<Pick<House, 'controls' | 'reset'>> {
    if (testing === null) return { controls: null, reset: null }
    const controls = await openControls({ store, clock: hand, facts: { ...rehearsing, expire: testExpiry }, mover, rehearsal, offsetMaxMs })
    return { controls, reset: makeReset({ store, keyring, clock, environment }) }
  }
  const mac = makeCardMac(keyring, environment)
  const findings = makeFindings({ store, clock })
  const facts = { provider: { name: 'Tessera', termsUrl: null, privacyUrl: null }, form: sdk }
  const compliance = {
    evidence: makeEvidence({ store, mac, merchants, disclosures, findings, facts }),
    consents: makeConsents({ store, disclosures, mac }),
    pageCheck: makePageCheck({ store, clock, merchants, formOrigin: null, ...(options.pages ?? noPages) }),
  }
  const grid = makeGrid({
    cards,
    verification,
    receipts,
    sessions,
    hosted,
    pageOf,
    clock,
    disclosures,
    served,
    merchants,
    ...side,
    ...compliance,
    limits,
    failures: options.failures?.({ clock: hand }) ?? noFailureBreaker,
    version: '0.0.0',
  })
  return Object.freeze({
    ...{
      store,
      keyring,
      clock: hand,
      cards,
      verification,
      receipts,
      merchants,
      sessions,
      hosted,
      pageOf,
      disclosures,
      served,
      settle,
      grid,
      environment,
      endpoint,
      alarms,
      findings,
      ...compliance,
      ...side,
    },
    caller: (profile: Profile = 'spec', merchantId = randomHex(24)) => makeCaller(grid, merchantId, profile),
    async close() {
      await settle.stop()
      if (options.store === undefined) await store.close(2000)
      await keys?.close()
      if (folder !== null) rmSync(folder, { recursive: true })
    },
  })
}

const noPages: NonNullable<HouseOptions['pages']> = {
  fetchPage: () => Promise.reject(notChecked('unreachable')),
  parse: () => Promise.resolve({ findings: [], scripts: [], isCut: false }),
}
/** Where the hosted page stands in these tests. */
export const hostedOrigin = 'https://form.example'

const pageOf: PageOf = ({ merchantId, session }) => `${hostedOrigin}/form/v1/page?merchant=${merchantId}#${session}`

const noSet = { coarse: noLimits, passwords: noThrottle, fine: noFineLimits, failures: noFailureBreaker, sms: noSmsGuard }

function noFolder(): never {
  throw new Error('a house after another stands on its store')
}

function openKeys(keys: KeyStore | null, environment: string, clock: HandClock): Promise<Keyring> {
  if (keys === null) throw new Error('a house has the keys of its own, or those of one that fell')
  return openKeyring({ kek: makeTestKek(), keys, environment, now: () => clock.now() })
}

function crash(cause: Error): never {
  throw cause
}
