import { totpCode, totpStepAt } from '@tessera/vault/totp'
import { SettingProblem } from '@tessera/contract/setting-problems'
import type { OperationName } from '@tessera/contract/operations'
import { giveUpOverdue } from '../store/delivery-claims.ts'
import { setScenarioStep } from '../store/sandbox.ts'
import { openChoice } from '../testing/hosted-session.fixture.ts'
import { makeRequest } from '../ops/request-log/request-row.fixture.ts'
import { encodeRow } from '../ops/request-log/request-row.ts'
import { toSegments } from '../ops/request-log/waiting-segment.ts'
import { makeTestAuthenticator, type TestAuthenticator } from '../testing/authenticator.fixture.ts'
import { decodeBase32 } from '../testing/base32.fixture.ts'
import { createDashboardClient, exportParams, beginExport, type DashboardUser } from '../testing/dashboard-user.fixture.ts'
import { request } from '../testing/pipeline.fixture.ts'
import { signedPack } from '../testing/merchant-pack.fixture.ts'
import { pass } from '../testing/receipts.fixture.ts'
import { operatorActor } from '../testing/request-context.fixture.ts'
import type { TestApp } from '../testing/test-app.fixture.ts'
import type { TestMerchant } from '../testing/test-merchant.fixture.ts'

import { reviewedScript, watchedPage } from './interrupted-pages.fixture.ts'

/** A new merchant, for one call. */
export interface CallScene {
  readonly app: TestApp
  readonly shop: TestMerchant
  /** An owner of it who is signed in and has just confirmed who they are; created by the first use. */
  owner(): Promise<DashboardUser>
  /** Who makes the call of a dashboard operation: the owner unless another is set. */
  caller: DashboardUser | null
}

export async function openScene(app: TestApp): Promise<CallScene> {
  const shop = app.merchant()
  await app.merchants.ensureMerchant({ id: shop.merchantId, name: 'A shop', password: shopPassword })
  let owner: Promise<DashboardUser> | null = null
  return { app, shop, caller: null, owner: () => (owner ??= signIn(app, shop)) }
}

async function signIn(app: TestApp, { merchantId }: TestMerchant): Promise<DashboardUser> {
  const owner = await createDashboardClient(app).user('owner', merchantId)
  owner.confirmsItself = false
  await owner.call('dashboard.session.confirm', { password: owner.password })
  return owner
}

/** Prepares the call of an operation that changes something, and returns its params. Whatever a new operation needs goes in here. */
export const preparedCalls: Readonly<Partial<Record<OperationName, (scene: CallScene) => Promise<object>>>> = {
  'cards.create': async () => ({ card: { number: ownPan, expire: '0399' }, save: true }),
  'cards.get_verify_code': async ({ shop }) => ({ token: await shop.createToken(ownPan) }),
  'cards.verify': async (scene) => ({ token: await sentToken(scene), code: '666666' }),
  'cards.remove': async ({ shop }) => ({ token: await shop.createToken(ownPan) }),
  'receipts.create': async () => ({ amount: 500_000 }),
  'receipts.pay': async (scene) => ({ id: await receiptId(scene), token: await scene.shop.createVerifiedToken(ownPan) }),
  'receipts.send': async (scene) => ({ id: await receiptId(scene), phone: '998901234566' }),
  'receipts.cancel': async (scene) => ({ id: await paidReceipt(scene) }),
  'receipts.confirm_hold': async (scene) => ({ id: await paidReceipt(scene, { hold: true }) }),
  'receipts.set_fiscal_data': async (scene) => ({
    id: await paidReceipt(scene),
    fiscal_data: { receipt_id: 121, qr_code_url: 'https://ofd.example/check?t=1' },
  }),
  'form.sessions.create': async () => newSession,
  'form.sessions.choose': async ({ shop }) => openChoice(shop),
  'form.sessions.cancel': async ({ shop }) => ({ session: (await shop.call('form.sessions.create', newSession)).session }),

  'dashboard.cards.remove': async ({ shop }) => ({ cardId: (await shop.createToken(ownPan)).slice(0, 24) }),
  'dashboard.pageCheck.run': async () => ({ html: '<p>a page', locale: 'en' }),
  'dashboard.pageCheck.stopWatching': watchedPage,
  'dashboard.scripts.review': reviewedScript,
  'dashboard.receipts.cancel': async (scene) => ({ receiptId: await paidReceipt(scene) }),
  'dashboard.receipts.confirm': async (scene) => ({ receiptId: await paidReceipt(scene, { hold: true }) }),
  'dashboard.requests.replay': loggedRequest,
  'dashboard.sandbox.setStep': async () => ({ scenario: 'cards.verify', step: 'card_blocked' }),
  'dashboard.sandbox.setLimits': async () => ({ on: true }),
  'dashboard.sandbox.moveClock': async () => ({ offsetMs: 1000 }),
  'dashboard.sandbox.restore': async () => ({}),
  'dashboard.sandbox.reset': async ({ shop: { merchantId } }) => ({ merchantId }),
  'dashboard.session.signIn': async (scene) => {
    const { phone, password } = await scene.owner()
    scene.caller = visitor(scene)
    return { phone, password }
  },
  'dashboard.session.signInByPasskey': async (scene) => {
    const { authenticator } = await addPasskey(scene)
    // A challenge from before its passkey is refused.
    scene.app.clock.advance(1)
    scene.caller = visitor(scene)
    const { passkey } = await scene.caller.call('dashboard.session.passkeyChallenge', {})
    return { passkey: authenticator.get(passkey) }
  },
  'dashboard.session.confirm': async ({ owner }) => ({ password: (await owner()).password }),
  'dashboard.session.signOut': async ({ owner }) => ({ sessionId: (await owner()).cookie?.slice(0, 24) }),
  'dashboard.session.signOutEverywhere': async () => ({}),
  'dashboard.password.change': async ({ owner }) => ({ password: (await owner()).password, newPassword: 'another good password' }),
  'dashboard.totp.begin': async ({ owner }) => ({ password: (await owner()).password }),
  'dashboard.totp.confirm': async (scene) => ({ code: await beginTotp(scene) }),
  'dashboard.totp.remove': async (scene) => {
    await addTotp(scene)
    return { password: (await scene.owner()).password }
  },
  'dashboard.recoveryCodes.renew': async (scene) => {
    await addTotp(scene)
    return {}
  },
  'dashboard.passkeys.add': async ({ owner }) => makeTestAuthenticator().create(await (await owner()).call('dashboard.passkeys.begin', {})),
  'dashboard.passkeys.rename': async (scene) => ({ passkeyId: (await addPasskey(scene)).passkeyId, name: 'Mine' }),
  'dashboard.passkeys.remove': async (scene) => ({ passkeyId: (await addPasskey(scene)).passkeyId }),
  'dashboard.settings.change': async () => ({ requireFormSessions: true }),
  'dashboard.passwords.rotate': async () => ({ scope: 'cards' }),
  'dashboard.passwords.rename': async () => ({ number: 1, label: 'back office' }),
  'dashboard.exports.start': async () => exportParams(),
  'dashboard.exports.finish': async ({ owner }) => ({ exportId: await beginExport(await owner()), outcome: 'done', rows: 1 }),
  'dashboard.passwords.retire': async ({ owner }) => {
    await (await owner()).call('dashboard.passwords.rotate', { scope: 'full' })
    return { number: 1 }
  },
  'dashboard.start.makePayment': async () => ({ lastFour: '6311' }),
  'dashboard.users.create': async () => ({ phone: nextPhone(), role: 'read' }),
  'dashboard.users.setRole': async (scene) => ({ userId: (await colleague(scene)).userId, role: 'support' }),
  'dashboard.users.rename': async (scene) => ({ userId: (await colleague(scene)).userId, name: 'Another' }),
  'dashboard.users.delete': async (scene) => ({ userId: (await colleague(scene)).userId }),
  'dashboard.users.block': async (scene) => ({ userId: (await colleague(scene)).userId, blocked: true }),
  'dashboard.users.resetPassword': async (scene) => ({ userId: (await colleague(scene)).userId }),
  'dashboard.webhooks.add': async () => ({ url: nextUrl() }),
  'dashboard.webhooks.change': async (scene) => ({ endpointId: await endpointId(scene), enabled: false }),
  'dashboard.webhooks.remove': async (scene) => ({ endpointId: await endpointId(scene) }),
  'dashboard.webhooks.rotate': async (scene) => ({ endpointId: await endpointId(scene) }),
  'dashboard.webhooks.sendTest': async (scene) => ({ endpointId: await endpointId(scene) }),
  'dashboard.webhooks.replay': failedDelivery,
  'dashboard.webhooks.replayFailed': async (scene) => ({ endpointId: (await failedDelivery(scene)).endpointId }),

  'operator.keys.rotate': async () => ({ purpose: 'limits', owner: '' }),
  'operator.keys.destroy': async (scene) => {
    const keyId = await replacedKey(scene)
    // Until no call can have it in use.
    scene.app.clock.advance(3 * 60_000)
    return { keyId }
  },
  'operator.keys.reseal': async (scene) => ({ keyId: await replacedKey(scene), sharePercent: 100 }),
  'operator.keys.rewrap': async () => ({}),
  'operator.keys.verify': async () => ({}),
  'operator.keys.signRows': async () => ({ confirmed: true }),
  'operator.shares.create': async ({ app }) => {
    app.custody.forget()
    return { shares: 3, threshold: 2, isNext: true, custodian: 'aziz' }
  },
  'operator.shares.take': async ({ app }) => {
    app.custody.forget()
    await app.custody.createSet({ shares: 3, threshold: 2 }, operatorActor)
    return { custodian: 'aziz' }
  },
  'operator.shares.enter': async (scene) => ({ share: await lastNeededShare(scene), custodian: 'aziz' }),
  'operator.nodes.enroll': async (scene) => ({ ...newNode, share: await lastAgreement(scene), custodian: 'aziz' }),
  'operator.nodes.revoke': async (scene) => {
    await scene.app.nodes?.enroll(newNode)
    return { name: newNode.name }
  },
  'operator.store.recordBackup': async () => ({ what: 'database', destination: 'backup', user: 'operator', chains: 0, heads: [] }),
  'operator.store.recordPrimary': async () => ({ host: 'db1:5432' }),
  'operator.clock.confirm': async ({ app }) => {
    app.clock.jump(40 * dayMs)
    return { time: new Date(app.clock.now()).toISOString() }
  },
  'operator.sms.find': async () => ({ phone: '998901234567', count: 20 }),
  'operator.sms.test': async () => ({ phone: '998901234567' }),
  'operator.merchants.create': async () => ({ patch: { name: 'A shop' } }),
  'operator.merchants.change': async ({ shop: { merchantId } }) => ({ merchantId, patch: { name: 'Another name' } }),
  'operator.merchants.block': async ({ shop: { merchantId } }) => ({ merchantId }),
  'operator.merchants.unblock': async ({ app, shop: { merchantId } }) => {
    await callOperator(app, 'operator.merchants.block', { merchantId })
    return { merchantId }
  },
  'operator.merchants.publishEvidence': async ({ shop: { merchantId } }) => ({ merchantId, pack: signedPack(merchantId) }),
  'operator.passwords.rotate': async ({ shop: { merchantId } }) => ({ merchantId }),
  'operator.passwords.retire': async ({ app, shop: { merchantId } }) => {
    await callOperator(app, 'operator.passwords.rotate', { merchantId })
    return { merchantId, number: 1 }
  },
  'operator.endpoints.set': async ({ shop: { merchantId } }) => ({
    merchantId,
    url: nextUrl(),
    login: 'login',
    password: 'of the endpoint',
  }),
  'operator.endpoints.remove': async ({ app, shop: { merchantId } }) => {
    await callOperator(app, 'operator.endpoints.set', { merchantId, url: nextUrl(), login: 'login', password: 'of the endpoint' })
    return { merchantId }
  },
  'operator.users.create': async ({ shop: { merchantId } }) => ({ merchantId, phone: nextPhone(), role: 'read' }),
  'operator.users.block': async (scene) => ({ ...(await colleagueOf(scene)), blocked: true }),
  'operator.users.resetPassword': colleagueOf,
  'operator.webhooks.add': async ({ shop: { merchantId } }) => ({ merchantId, url: nextUrl() }),
  'operator.webhooks.remove': async (scene) => ({ merchantId: scene.shop.merchantId, url: await endpointUrl(scene) }),
  'operator.webhooks.rotate': async (scene) => ({ merchantId: scene.shop.merchantId, url: await endpointUrl(scene) }),
  'operator.events.replay': async (scene) => ({ merchantId: scene.shop.merchantId, eventId: (await failedDelivery(scene)).eventId }),
  'operator.events.replayFailed': async (scene) => {
    await failedDelivery(scene)
    return { merchantId: scene.shop.merchantId }
  },
  'operator.receipts.resolve': async (scene) => ({
    receiptId: await unknownReceipt(scene),
    paidAt: null,
    reference: 'RRN-118822',
    reason: 'the statement does not have it',
  }),
  'operator.receipts.recordReconciliation': async () => ({ network: 'sandbox', date: '2026-01-31', counts: noDifferences }),
  'operator.sandbox.setStep': async ({ shop: { merchantId } }) => ({ merchantId, scenario: 'cards.verify', step: 'card_blocked' }),
  'operator.sandbox.setLimits': async ({ shop: { merchantId } }) => ({ merchantId, on: true }),
  'operator.sandbox.moveClock': async () => ({ offsetMs: 1000 }),
  'operator.sandbox.restore': async ({ shop: { merchantId } }) => ({ merchantId }),
  'operator.sandbox.reset': async ({ shop: { merchantId } }) => ({ merchantId }),
}

async function sentToken({ shop }: CallScene): Promise<string> {
  const token = await shop.createToken(ownPan)
  await shop.call('cards.get_verify_code', { token })
  return token
}

async function receiptId({ shop }: CallScene): Promise<string> {
  return (await shop.call('receipts.create', { amount: 500_000 })).receipt._id
}

async function paidReceipt(scene: CallScene, how: { readonly hold?: boolean } = {}): Promise<string> {
  const [id, token] = [await receiptId(scene), await scene.shop.createVerifiedToken(ownPan)]
  await scene.shop.call('receipts.pay', { id, token, ...how })
  return id
}

/** A receipt whose payment got no reply of the network. */
async function unknownReceipt(scene: CallScene): Promise<string> {
  const { app, shop } = scene
  const [id, token] = [await receiptId(scene), await shop.createVerifiedToken(ownPan)]
  await app.store.write(setScenarioStep, { merchantId: shop.merchantId, scenario: 'network', step: 'lose_request' })
  await pass(app, shop.callRaw('receipts.pay', { id, token }))
  return id
}

async function loggedRequest({ app, shop }: CallScene): Promise<object> {
  const { bucket, merchantId } = shop
  const requestId = '5e0d1ce5a000e00000e00001'
  const cardId = (await shop.createToken(ownPan)).slice(0, 24)
  await app.requestLog.append(toSegments([encodeRow(makeRequest(1, { bucket, merchantId, requestId, at: app.clock.now(), cardId }))]))
  return { requestId }
}

/** A browser in which nobody has signed in. */
function visitor({ app, shop: { merchantId } }: CallScene): DashboardUser {
  return createDashboardClient(app).visitor(merchantId)
}

async function addPasskey(scene: CallScene): Promise<{ readonly authenticator: TestAuthenticator; readonly passkeyId: string }> {
  const [authenticator, owner] = [makeTestAuthenticator(), await scene.owner()]
  const { passkeyId } = await owner.call('dashboard.passkeys.add', authenticator.create(await owner.call('dashboard.passkeys.begin', {})))
  return { authenticator, passkeyId }
}

/** Begins a second factor, and returns the code that confirms it. */
async function beginTotp(scene: CallScene): Promise<string> {
  const owner = await scene.owner()
  const { secret } = await owner.call('dashboard.totp.begin', { password: owner.password })
  return totpCode(decodeBase32(secret), totpStepAt(scene.app.clock.now()))
}

/** A second factor, by which the owner has just confirmed who they are. */
async function addTotp(scene: CallScene): Promise<void> {
  const owner = await scene.owner()
  const { recoveryCodes } = await owner.call('dashboard.totp.confirm', { code: await beginTotp(scene) })
  await owner.call('dashboard.session.confirm', { code: recoveryCodes[0] ?? '' })
}

async function colleagueOf(scene: CallScene): Promise<{ readonly merchantId: string; readonly userId: string }> {
  const { merchantId, userId } = await colleague(scene)
  return { merchantId, userId }
}

function colleague({ app, shop: { merchantId } }: CallScene): Promise<DashboardUser> {
  return createDashboardClient(app).user('read', merchantId)
}

async function endpointId(scene: CallScene): Promise<string> {
  return (await addEndpoint(scene)).endpointId
}

async function endpointUrl(scene: CallScene): Promise<string> {
  return (await addEndpoint(scene)).url
}

async function addEndpoint({ app, shop: { merchantId } }: CallScene): Promise<{ readonly endpointId: string; readonly url: string }> {
  const url = nextUrl()
  const added = await app.webhookReports.endpoints.add(merchantId, url, operatorActor)
  if (added instanceof SettingProblem) throw new Error(added.code)
  return { endpointId: added.endpointId, url }
}

/** An event whose delivery was given up. */
async function failedDelivery(scene: CallScene): Promise<{ readonly endpointId: string; readonly eventId: string }> {
  const { app, shop } = scene
  const { bucket, merchantId } = shop
  const { endpointId } = await addEndpoint(scene)
  await shop.call('receipts.cancel', { id: await receiptId(scene) })
  const [event] = await app.webhookReports.endpoints.events(merchantId, 0, 1)
  const now = app.clock.now()
  await app.store.write(giveUpOverdue, { endpoint: { bucket, endpointId }, now, dueBefore: now + 1 })
  return { endpointId, eventId: event?.eventId ?? '' }
}

/** A key that is no longer active, and under which nothing is stored. */
async function replacedKey({ app, shop: { merchantId } }: CallScene): Promise<string> {
  const of = { purpose: 'card', owner: merchantId }
  const { keyId } = (await callOperator(app, 'operator.keys.rotate', of)) as { readonly keyId: string }
  await callOperator(app, 'operator.keys.rotate', of)
  return keyId
}

/** The result of an operator's call. Throws its error. */
async function callOperator({ app }: TestApp, method: OperationName, params: object): Promise<unknown> {
  const { text } = await app.handleOperator(request({ jsonrpc: '2.0', id: 1, method, params }, { xAuth: null }))
  const { result, error } = JSON.parse(text) as { readonly result?: unknown; readonly error?: unknown }
  if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
  return result
}

function nextUrl(): string {
  return `http://127.0.0.1:9/${++urls}`
}

function nextPhone(): string {
  return `9981${String(++phones).padStart(8, '0')}`
}

const newSession = { origin: 'https://shop.example', customer: 'c-1', save: 'ask', locale: 'uz' } as const
/** That of the merchants of the dashboard client. */
export const shopPassword = 'a password of the API, as long as one'
let urls = 0
let phones = 0
const ownPan = '8600495473316478'
const dayMs = 86_400_000

/** A share of a new set, of which another one was entered. */
async function lastNeededShare({ app: { custody } }: CallScene): Promise<string> {
  custody.forget()
  await custody.createSet({ shares: 2, threshold: 2 }, operatorActor)
  const texts: string[] = []
  for (let i = 0; i < 2; i++) {
    const taken = await custody.takeShare({ ...operatorActor, actor: `custodian:${String(i)}` })
    if ('share' in taken) texts.push(taken.share)
  }
  const [first = '', last = ''] = (sharesOfNewSet = texts)
  await custody.enterShare(first, operatorActor)
  return last
}

/** A share with which custodians of an open KEK agree to a node, after another one was entered. */
async function lastAgreement(scene: CallScene): Promise<string> {
  const [{ custody }, last] = [scene.app, await lastNeededShare(scene)]
  await custody.enterShare(last, { ...operatorActor, actor: 'custodian:last' })
  await custody.enterShare(sharesOfNewSet[0] ?? '', operatorActor, `enroll ${newNode.name} ${newNode.publicKey}`)
  return last
}

const countNames = 'lines operations matched missing_here missing_there other_amount other_state duplicate_there'
const noDifferences = Object.fromEntries(countNames.split(' ').map((name) => [name, 0]))
const newNode = { name: 'node-b', publicKey: '09'.repeat(64) }
let sharesOfNewSet: string[] = []
