import { SettingProblem } from '@tessera/contract/setting-problems'
import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import { hashDisclosure } from './consents/disclosure-text.ts'
import { makeDisclosures } from './consents/disclosures.ts'
import type { Receiver } from './webhooks/receiver.fixture.ts'
import { pageScriptsTable, savePageCheck } from '../store/page-checks.ts'
import { cardLocksTable } from '../store/receipts.ts'
import type { Row, Value } from '../store/statement.ts'
import { makeTestAuthenticator } from '../testing/authenticator.fixture.ts'
import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'
import { signedPack } from '../testing/merchant-pack.fixture.ts'
import { randomHex } from '../testing/random.fixture.ts'
import { operatorActor } from '../testing/request-context.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import type { TestApp } from '../testing/test-app.fixture.ts'
import type { TestMerchant } from '../testing/test-merchant.fixture.ts'

/** A row that the running service wrote, and something that it decides. */
export interface BoundRow {
  /** The condition that finds the row. */
  readonly where: string
  /** True when the service used the row; false or an error when it refused. */
  use(): Promise<boolean>
}

export interface BoundRowDependencies {
  readonly app: TestApp
  readonly receiver: Receiver
  readonly raw: (text: string) => Promise<readonly Row[]>
  readonly dialect: 'sqlite' | 'postgres'
}

/** How to write and use a row of each table with a MAC. A new table needs a line here. */
export const boundRows: Readonly<Record<string, (deps: BoundRowDependencies) => Promise<BoundRow>>> = {
  card_locks: lockCard,
  cards: createCard,
  dashboard_passkeys: addPasskey,
  dashboard_recovery_codes: createRecoveryCodes,
  dashboard_sessions: signIn,
  dashboard_users: signIn,
  disclosures: storeDisclosure,
  form_sessions: openFormSession,
  idempotency: claimKey,
  known_devices: rememberDevice,
  merchant_packs: publishPack,
  merchants: createMerchant,
  operations: holdMoney,
  outbox: writeEvent,
  page_scripts: findScript,
  page_watches: watchPage,
  receipts: createReceipt,
  verifications: requestCode,
  webhook_endpoints: writeEvent,
}

/** Columns by which a row is found: with another value it is simply not there, so that there is nothing to raise an alarm about. */
export const lookupColumns: Readonly<Record<string, readonly string[]>> = {
  cards: ['merchant_id', 'token_hash'],
  dashboard_passkeys: ['credential_id'],
  dashboard_users: [],
  form_sessions: ['merchant_id', 'hash'],
  operations: ['merchant_id'],
  outbox: ['merchant_id'],
  receipts: ['merchant_id'],
  verifications: ['merchant_id'],
  webhook_endpoints: ['merchant_id'],
}

/** Another value of a column, as SQL. */
export function changedValue(dialect: 'sqlite' | 'postgres', type: string, value: Value | undefined): string {
  if (type === 'bytea') return bytesLiteral(dialect, Uint8Array.of(1, 2, 3))
  if (type === 'smallint') return value === 1 ? '0' : '1'
  if (type !== 'text') return String(Number(value ?? 0) + 1)
  const text = typeof value === 'string' ? value : ''
  if (text.startsWith('[')) return text === '[]' ? `'["changed"]'` : `'[]'`
  return text.startsWith('"') || text === '' ? `'"changed"'` : quoteText(otherWords[text] ?? `${text}x`)
}

/** A valid word instead of another. */
const otherWords: Readonly<Record<string, string>> = {
  hold: 'authorise',
  new: 'unchanged',
  approved: 'unknown',
  'receipt.paid': 'receipt.held',
  'card.verified': 'card.removed',
  sent: 'asked',
  us: 'network',
  network: 'us',
  authorised: 'refused',
  open: 'authorised',
  active: 'blocked',
  password: 'totp',
  owner: 'read',
  live: 'expired',
  ask: 'off',
  '0399': '0499',
}

export function literal(dialect: 'sqlite' | 'postgres', value: Value | undefined): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Uint8Array) return bytesLiteral(dialect, value)
  return typeof value === 'number' ? String(value) : quoteText(value)
}

function bytesLiteral(dialect: 'sqlite' | 'postgres', bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return dialect === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`
}

function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

function isRefusal(reply: object): boolean {
  return 'error' in reply
}

async function createCard({ app }: BoundRowDependencies): Promise<BoundRow> {
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan)
  return { where: `card_id = '${token.slice(0, 24)}'`, use: async () => !isRefusal(await merchant.callRaw('cards.check', { token })) }
}

async function createReceipt({ app }: BoundRowDependencies): Promise<BoundRow> {
  const merchant = app.merchant()
  const { receipt } = await merchant.call('receipts.create', { amount: 500_000 })
  return {
    where: `receipt_id = '${receipt._id}'`,
    use: async () => !isRefusal(await merchant.callRaw('receipts.get', { id: receipt._id })),
  }
}

async function createMerchant({ app }: BoundRowDependencies): Promise<BoundRow> {
  const id = randomHex(24)
  await app.merchants.ensureMerchant({ id, name: 'A shop', password: 'a password of the API, as long as one' })
  return { where: `id = '${id}'`, use: async () => (await app.merchants.read(id)) !== null }
}

async function signIn({ app }: BoundRowDependencies): Promise<BoundRow> {
  const user = await createDashboardClient(app).user('owner')
  const use = async () => (await user.callRaw('dashboard.users.list', {})).error === undefined
  return { where: `user_id = '${user.userId}'`, use }
}

/** A known device signs in while its phone is locked for others. */
async function rememberDevice({ app }: BoundRowDependencies): Promise<BoundRow> {
  const client = createDashboardClient(app)
  const user = await client.user('owner')
  const { phone, password } = user
  const stranger = client.visitor()
  for (let n = 0; n < 10; n++) await stranger.callRaw('dashboard.session.signIn', { phone, password: 'wrong' })
  const use = async () => {
    const { result } = await user.callRaw('dashboard.session.signIn', { phone, password })
    // The success opened the phone; it is locked again for the next.
    if (result !== undefined) for (let n = 0; n < 10; n++) await stranger.callRaw('dashboard.session.signIn', { phone, password: 'wrong' })
    return result !== undefined
  }
  return { where: `user_id = '${user.userId}'`, use }
}

async function addPasskey({ app }: BoundRowDependencies): Promise<BoundRow> {
  const user = await createDashboardClient(app).user('owner')
  const authenticator = makeTestAuthenticator()
  const options = await user.call('dashboard.passkeys.begin', {})
  const { passkeyId } = await user.call('dashboard.passkeys.add', authenticator.create(options))
  const use = async () => {
    app.clock.advance(1)
    const { passkey } = await user.call('dashboard.session.passkeyChallenge', {})
    return !isRefusal(await user.callRaw('dashboard.session.signInByPasskey', { passkey: authenticator.get(passkey) }))
  }
  return { where: `passkey_id = '${passkeyId}'`, use }
}

async function createRecoveryCodes({ app }: BoundRowDependencies): Promise<BoundRow> {
  const user = await createDashboardClient(app).user('owner')
  const { recoveryCodes } = await user.call('dashboard.recoveryCodes.renew', {})
  const authenticator = makeTestAuthenticator()
  await user.call('dashboard.passkeys.add', authenticator.create(await user.call('dashboard.passkeys.begin', {})))
  const [code = ''] = recoveryCodes
  return {
    where: `user_id = '${user.userId}' and number = 1`,
    use: async () => (await user.signIn(code).catch(() => 'refused')) === null,
  }
}

async function openFormSession({ app }: BoundRowDependencies): Promise<BoundRow> {
  const merchant = app.merchant()
  const options = { origin: 'https://shop.example', customer: 'c-1', save: 'ask', return: 'https://shop.example/back' } as const
  const { session } = await merchant.call('form.sessions.create', options)
  const use = async () => !isRefusal(await merchant.callRaw('form.sessions.get', { session }))
  return { where: `session_id = '${session.slice(0, 24)}'`, use }
}

async function requestCode({ app }: BoundRowDependencies): Promise<BoundRow> {
  const merchant = app.merchant()
  const token = await merchant.createToken(successPan)
  await merchant.call('cards.get_verify_code', { token })
  const use = async () => !isRefusal(await merchant.callRaw('cards.verify', { token, code: '666666' }))
  return { where: `card_id = '${token.slice(0, 24)}'`, use }
}

async function holdMoney({ app }: BoundRowDependencies): Promise<BoundRow> {
  const merchant = app.merchant()
  const id = await payHold(merchant)
  const use = async () => !isRefusal(await merchant.callRaw('receipts.confirm_hold', { id }))
  return { where: `receipt_id = '${id}'`, use }
}

/** A receipt whose amount is held. Returns its id. */
export async function payHold(merchant: TestMerchant): Promise<string> {
  const token = await merchant.createVerifiedToken(successPan)
  const { receipt } = await merchant.call('receipts.create', { amount: 500_000, hold: true })
  await merchant.call('receipts.pay', { id: receipt._id, token })
  return receipt._id
}

async function lockCard({ app, raw, dialect }: BoundRowDependencies): Promise<BoundRow> {
  const merchant = app.merchant()
  const token = await merchant.createVerifiedToken(successPan, { save: false })
  const { receipt } = await merchant.call('receipts.create', { amount: 500_000 })
  const { bucket, merchantId } = merchant
  const cardId = token.slice(0, 24)
  const row = { bucket, cardId, merchantId, receiptId: '0'.repeat(24), mac: new Uint8Array(0) }
  const { mac, receiptId } = await makeRowAuthenticator(app.keyring, app.environment, cardLocksTable).seal(row)
  await raw(`insert into card_locks (bucket, card_id, merchant_id, receipt_id, mac)
    values (${bucket}, '${cardId}', '${merchantId}', '${receiptId}', ${literal(dialect, mac)}) returning card_id`)
  const use = async () => (await merchant.expectError('receipts.pay', { id: receipt._id, token })) === 'card_in_use'
  return { where: `card_id = '${cardId}'`, use }
}

async function storeDisclosure({ app }: BoundRowDependencies): Promise<BoundRow> {
  const { version, texts } = hashDisclosure({ version: randomHex(8), en: `E ${randomHex(8)}`, ru: 'R', uz: 'U' })
  const { text, sha256 } = texts.en
  const alarm = (event: string): void => void app.alarms.push(event)
  const { keyring, environment, store, clock } = app
  const disclosures = makeDisclosures({ keyring, environment, store, clock, alarm, texts: [{ version, locale: 'en', text, sha256 }] })
  await disclosures.store()
  const use = async () => (await disclosures.find({ version, locale: 'en', sha256 })) !== null
  return { where: `sha256 = '${sha256}'`, use }
}

async function claimKey({ app }: BoundRowDependencies): Promise<BoundRow> {
  const merchant = app.merchant()
  let runs = 0
  const request = {
    key: randomHex(16),
    caller: { merchantId: merchant.merchantId, bucket: merchant.bucket, kind: 'server' as const },
    profile: 'spec',
    method: 'receipts.create',
    params: { amount: 1 },
    cardNumber: null,
    requestId: randomHex(24),
    signal: new AbortController().signal,
  }
  const once = () =>
    app.idempotency.once(request, {
      run: () => Promise.resolve({ run: ++runs }),
      reconcile: null,
    })
  await once()
  const use = async () => (await once()).run === 1 && runs === 1
  return { where: `merchant_id = '${merchant.merchantId}'`, use }
}

async function findScript({ app }: BoundRowDependencies): Promise<BoundRow> {
  const { merchantId, bucket } = app.merchant()
  const page = 'https://shop.example/pay'
  const review = { decision: 'authorised', reason: 'pays', reviewedFingerprint: 'p', reviewedBy: randomHex(24), reviewedAt: 1 } as const
  const found = { scriptId: randomHex(24), page, address: `${page}.js`, fingerprint: 'p', integrity: '', party: 'first' } as const
  const row = { bucket, merchantId, ...found, ...review, firstAt: 1, lastAt: 1, mac: new Uint8Array(0) }
  const script = await makeRowAuthenticator(app.keyring, app.environment, pageScriptsTable).seal(row)
  const check = { bucket, merchantId, page, checkedAt: 1, checkedBy: 'u', errors: 0, warnings: 0, report: '{}' }
  const audit = {
    at: 1,
    actor: 'user:u',
    action: 'page.checked',
    merchantId,
    subject: 'u',
    version: 0,
    mac: new Uint8Array(0),
    requestId: '',
  }
  const limits = { pagesMax: 9, scriptsMax: 9 }
  await app.store.write(savePageCheck, {
    check,
    scripts: [script],
    watch: null,
    replaced: [],
    ...limits,
    audit: { ...audit, outcome: 'clean' },
  })
  const use = async () => (await app.pageCheck.scripts({ bucket, merchantId }))[0]?.decision === 'authorised'
  return { where: `script_id = '${found.scriptId}'`, use }
}

async function watchPage({ app }: BoundRowDependencies): Promise<BoundRow> {
  const { merchantId, bucket } = app.merchant()
  const of = { bucket, merchantId }
  const watch = await app.pageReadings.startWatch(of, 'https://shop.example/pay', 1)
  const check = { ...of, page: watch.page, checkedAt: 1, checkedBy: 'u', errors: 0, warnings: 0, report: '{}' }
  const entry = {
    at: 1,
    actor: 'user:u',
    action: 'page.checked',
    merchantId,
    subject: 'u',
    version: 0,
    mac: new Uint8Array(0),
    requestId: '',
  }
  const limits = { pagesMax: 9, scriptsMax: 9, scripts: [], replaced: [] }
  await app.store.write(savePageCheck, { check, watch, ...limits, audit: { ...entry, outcome: 'clean' } })
  const use = async () => (await app.pageReadings.list(of))[0]?.state === 'new'
  return { where: `page_id = '${watch.pageId}' and merchant_id = '${merchantId}'`, use }
}

async function publishPack({ app }: BoundRowDependencies): Promise<BoundRow> {
  const { merchantId, bucket } = app.merchant()
  await app.merchants.ensureMerchant({ id: merchantId, name: 'A shop', password: 'a password of the API, as long as one' })
  if (!(await app.merchantPacks.publish(merchantId, signedPack(merchantId), ''))) throw new Error('the pack was refused')
  return { where: `merchant_id = '${merchantId}'`, use: async () => (await app.merchantPacks.find({ bucket, merchantId })) !== null }
}

/** An event that waits to be delivered, and its endpoint. */
async function writeEvent({ app, receiver }: BoundRowDependencies): Promise<BoundRow> {
  const merchant = app.merchant()
  await app.merchants.ensureMerchant({ id: merchant.merchantId, name: 'A shop', password: 'a password of the API, as long as one' })
  const added = await app.endpoints.add(merchant.merchantId, receiver.url, operatorActor)
  if (added instanceof SettingProblem) throw new Error(added.code)
  await merchant.createVerifiedToken(successPan)
  const use = async () => {
    const before = receiver.heard.length
    await app.webhooks.runOnce()
    await app.webhooks.idle()
    return receiver.heard.length > before
  }
  return { where: `merchant_id = '${merchant.merchantId}'`, use }
}
