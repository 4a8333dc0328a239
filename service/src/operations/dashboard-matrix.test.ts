// Every method of the dashboard, by every role and from another merchant. A new method fails here until it has params below.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { dashboardOperations, isOperationName, type DashboardOperationName } from '@tessera/contract/operations'
import { SettingProblem } from '@tessera/contract/setting-problems'
import { makeRowAuthenticator } from '@tessera/vault/rowmac'

import { createDashboardClient, type DashboardUser } from '../testing/dashboard-user.fixture.ts'

import { makeRequest } from '../ops/request-log/request-row.fixture.ts'
import { encodeRow } from '../ops/request-log/request-row.ts'
import { toSegments } from '../ops/request-log/waiting-segment.ts'
import { operationRegistry } from './registry.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'
import { listAuditOfSubject } from '../store/audit.ts'
import { findCard } from '../store/cards.ts'
import { listDashboardSessions } from '../store/dashboard-sessions.ts'
import { findDashboardUser, listDashboardUsers } from '../store/dashboard-users.ts'
import { listDeliveries } from '../store/deliveries.ts'
import { listFindings } from '../store/findings.ts'
import { findMerchant } from '../store/merchants.ts'
import { listPageChecks, listPageScripts, savePageCheck, pageScriptsTable } from '../store/page-checks.ts'
import { findReceipt } from '../store/receipts.ts'
import { listMerchantInbox, listScenarioSteps } from '../store/sandbox.ts'
import { listEndpoints } from '../store/webhook-endpoints.ts'
import { listPasskeys } from '../store/dashboard-passkeys.ts'
import { listRecoveryCodes } from '../store/dashboard-recovery-codes.ts'
import { makeTestAuthenticator } from '../testing/authenticator.fixture.ts'
import { operatorActor } from '../testing/request-context.fixture.ts'

const app = await createTestApp({ after })
const { seal } = makeRowAuthenticator(app.keyring, app.environment, pageScriptsTable)
const noReview = { decision: 'open', reason: '', reviewedFingerprint: '', reviewedBy: '', reviewedAt: 0, mac: new Uint8Array(0) } as const
const unreviewed = { firstAt: 1, lastAt: 1, ...noReview } as const
const entrance = createDashboardClient(app)

/** What of a merchant a method may be pointed at. Whatever a new method takes goes in here, and into `marksOf`. */
interface Owned {
  readonly cardId: string
  readonly receiptId: string
  readonly userId: string
  readonly sessionId: string
  readonly customer: string
  readonly phone: string
  readonly page: string
  readonly scriptId: string
  readonly requestId: string
  readonly endpointId: string
  readonly eventId: string
  readonly passkeyId: string
  readonly exportId: string
}

/** Params of each method, pointed at what somebody owns. */
const pointed: Readonly<Record<DashboardOperationName, (at: Owned) => object>> = {
  'dashboard.requests.list': ({ cardId }) => ({ cardId }),
  'dashboard.requests.get': ({ requestId }) => ({ requestId }),
  'dashboard.requests.replay': ({ requestId }) => ({ requestId }),
  'dashboard.session.signIn': ({ phone }) => ({ phone, password: 'not it' }),
  'dashboard.session.get': () => ({}),
  'dashboard.session.list': () => ({}),
  'dashboard.session.signOut': ({ sessionId }) => ({ sessionId }),
  'dashboard.session.signOutEverywhere': () => ({}),
  'dashboard.password.change': () => ({ password: 'not it', newPassword: 'another good password' }),
  'dashboard.session.passkeyChallenge': () => ({}),
  'dashboard.session.signInByPasskey': () => ({ passkey: foreignPasskey }),
  'dashboard.session.confirmBegin': () => ({}),
  'dashboard.session.confirm': () => ({ passkey: foreignPasskey }),
  'dashboard.recoveryCodes.get': () => ({}),
  'dashboard.recoveryCodes.renew': () => ({}),
  'dashboard.passkeys.list': () => ({}),
  'dashboard.passkeys.begin': () => ({}),
  'dashboard.passkeys.add': () => ({ name: 'Mine', id: 'AAAA', clientDataJSON: 'AAAA', attestationObject: 'AAAA', transports: [] }),
  'dashboard.passkeys.rename': ({ passkeyId }) => ({ passkeyId, name: 'Mine' }),
  'dashboard.passkeys.remove': ({ passkeyId }) => ({ passkeyId }),
  'dashboard.totp.begin': () => ({ password: 'not it' }),
  'dashboard.totp.confirm': () => ({ code: '000000' }),
  'dashboard.totp.remove': () => ({ password: 'not it' }),
  'dashboard.users.list': () => ({}),
  'dashboard.users.create': ({ phone }) => ({ phone, role: 'read' }),
  'dashboard.users.setRole': ({ userId }) => ({ userId, role: 'read' }),
  'dashboard.users.rename': ({ userId }) => ({ userId, name: 'Another' }),
  'dashboard.users.delete': ({ userId }) => ({ userId }),
  'dashboard.users.block': ({ userId }) => ({ userId, blocked: true }),
  'dashboard.users.resetPassword': ({ userId }) => ({ userId }),
  'dashboard.cards.list': ({ customer }) => ({ search: customer }),
  'dashboard.cards.get': ({ cardId }) => ({ cardId }),
  'dashboard.cards.remove': ({ cardId }) => ({ cardId }),
  'dashboard.customers.list': () => ({}),
  'dashboard.customers.get': ({ customer }) => ({ customer }),
  'dashboard.exports.start': () => ({ list: 'receipts', format: 'csv', conditions: [] }),
  'dashboard.exports.finish': ({ exportId }) => ({ exportId, outcome: 'done', rows: 1 }),
  'dashboard.audit.list': ({ cardId }) => ({ subject: cardId }),
  'dashboard.audit.export': () => ({}),
  'dashboard.receipts.list': () => ({}),
  'dashboard.receipts.export': () => ({}),
  'dashboard.receipts.totals': () => ({ from: '2026-11-01', to: '2026-11-30' }),
  'dashboard.receipts.get': ({ receiptId }) => ({ receiptId }),
  'dashboard.receipts.cancel': ({ receiptId }) => ({ receiptId }),
  'dashboard.receipts.confirm': ({ receiptId }) => ({ receiptId }),
  'dashboard.search.find': ({ customer }) => ({ text: customer }),
  'dashboard.settings.get': () => ({}),
  'dashboard.settings.change': () => ({ requireFormSessions: true }),
  'dashboard.passwords.rotate': () => ({ scope: 'cards' }),
  'dashboard.passwords.rename': () => ({ number: 1, label: 'of the stranger' }),
  'dashboard.passwords.retire': () => ({ number: 1 }),
  'dashboard.start.get': () => ({}),
  'dashboard.start.makePayment': () => ({ lastFour: '6311' }),
  'dashboard.overview.get': () => ({ from: '2026-11-22', to: '2026-11-28' }),
  'dashboard.verification.funnel': () => ({ from: '2026-11-22', to: '2026-11-28' }),
  'dashboard.verification.list': ({ cardId }) => ({ card: cardId }),
  'dashboard.verification.get': ({ cardId, requestId }) => ({ cardId, id: requestId }),
  'dashboard.verification.inbox': () => ({}),
  'dashboard.webhooks.list': () => ({}),
  'dashboard.webhooks.add': () => ({ url: 'http://127.0.0.1:9/of-the-stranger' }),
  'dashboard.webhooks.change': ({ endpointId }) => ({ endpointId, enabled: false }),
  'dashboard.webhooks.rotate': ({ endpointId }) => ({ endpointId }),
  'dashboard.webhooks.remove': ({ endpointId }) => ({ endpointId }),
  'dashboard.webhooks.sendTest': ({ endpointId }) => ({ endpointId }),
  'dashboard.webhooks.deliveries': ({ endpointId }) => ({ endpointId }),
  'dashboard.webhooks.delivery': ({ endpointId, eventId }) => ({ endpointId, eventId }),
  'dashboard.webhooks.replay': ({ endpointId, eventId }) => ({ endpointId, eventId }),
  'dashboard.webhooks.replayFailed': ({ endpointId }) => ({ endpointId }),
  'dashboard.compliance.get': () => ({}),
  'dashboard.compliance.evidence': () => ({}),
  'dashboard.compliance.responsibilities': () => ({ locale: 'uz' }),
  'dashboard.consents.list': () => ({}),
  'dashboard.pageCheck.run': () => ({ html: '<p>a page', locale: 'en' }),
  'dashboard.pageCheck.list': () => ({}),
  'dashboard.pageCheck.get': ({ page }) => ({ page, locale: 'en' }),
  'dashboard.pageCheck.stopWatching': ({ page }) => ({ page }),
  'dashboard.scripts.list': () => ({}),
  'dashboard.scripts.review': ({ scriptId }) => ({
    scriptId,
    fingerprint: 'sha256-of-the-victim',
    decision: 'refused',
    reason: 'not mine',
  }),
  'dashboard.sandbox.get': () => ({}),
  'dashboard.sandbox.setStep': () => ({ scenario: 'cards.verify', step: 'card_blocked' }),
  'dashboard.sandbox.setLimits': () => ({ on: true }),
  'dashboard.sandbox.moveClock': () => ({ offsetMs: 1000 }),
  'dashboard.sandbox.restore': () => ({}),
  'dashboard.sandbox.reset': () => ({ merchantId: victim.merchantId }),
}

/** Who may what, said once more here and not read from the gate. */
const allowed = {
  visitor: ['read', 'support', 'developer', 'owner'],
  read: ['read', 'support', 'developer', 'owner'],
  support: ['support', 'owner'],
  developer: ['developer', 'owner'],
  owner: ['owner'],
} as const

const victim = await entrance.user('owner')
const authenticator = makeTestAuthenticator()
const foreignPasskey = { id: authenticator.id, clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' }
const owned = await own(victim)
const everything = [
  owned.endpointId,
  owned.eventId,
  owned.passkeyId,
  owned.exportId,
  authenticator.id,
  owned.cardId,
  owned.receiptId,
  owned.userId,
  owned.sessionId,
  owned.customer,
  owned.phone,
  owned.page,
  owned.requestId,
  victim.merchantId,
]
const names = Object.keys(dashboardOperations).filter((name): name is DashboardOperationName => isOperationName(name))

for (const name of names) {
  test(`${name} is allowed to the roles of its row only, and neither shows nor changes another merchant`, async () => {
    assert.ok(name in pointed, `${name} has no params in the matrix`)
    const { role: needed } = dashboardOperations[name]
    assert.equal(operationRegistry[name].contract.role, needed)
    for (const role of ['read', 'support', 'developer', 'owner'] as const) {
      const stranger = await entrance.user(role)
      const before = await pictureOf()
      const reply = await stranger.callRaw(name, pointed[name](owned))
      const isAllowed = (allowed[needed] as readonly string[]).includes(role)
      assert.equal(reply.error?.reason === 'role_too_low', !isAllowed, `${role}: ${JSON.stringify(reply)}`)
      const text = JSON.stringify(reply)
      for (const mark of everything) assert.ok(!text.includes(mark), `${role} got ${mark}: ${text}`)
      assert.deepEqual(await pictureOf(), before, role)
    }
    const visitor = entrance.visitor()
    const { error } = await visitor.callRaw(name, pointed[name](owned))
    if (needed !== 'visitor') assert.equal(error?.reason, 'signed_out')
  })
}

test('no dashboard operation is available at the API, for any caller', async () => {
  const { createTestPipeline, request, replyJson } = await import('../testing/pipeline.fixture.ts')
  for (const method of names) {
    const { error } = replyJson(await createTestPipeline().answer(request({ id: 1, method, params: {} })))
    assert.deepEqual([error?.code, error?.reason], [-32601, 'method_not_found'], method)
  }
})

test('no API operation is available at the dashboard’s endpoint', async () => {
  const owner = await entrance.user('owner')
  for (const method of ['cards.check', 'receipts.get_all', 'rpc.discover']) {
    const { error } = await owner.callRaw(method as DashboardOperationName, {})
    assert.equal(error?.reason, 'method_not_found', method)
  }
})

async function own(owner: DashboardUser): Promise<Owned> {
  const customer = 'mark-of-the-victim'
  const shop = app.merchant('spec', owner.merchantId)
  const { card } = await shop.call('cards.create', { card: { number: '', expire: '0399' }, customer, save: true }, '8600495473316478')
  // Something to count, and an SMS in the inbox.
  await shop.call('cards.get_verify_code', { token: card.token })
  await app.counters.runOnce(new AbortController().signal)
  const { receipt } = await shop.call('receipts.create', { amount: 500_000 })
  const { userId, phone, cookie, bucket, merchantId } = owner
  const { passkeyId } = await owner.call('dashboard.passkeys.add', authenticator.create(await owner.call('dashboard.passkeys.begin', {})))
  const [page, scriptId] = ['https://shop-of-the-victim.example/pay', '5c1'.padEnd(24, '0')]
  const seen = { scriptId, address: `${page}.js`, fingerprint: 'sha256-of-the-victim', integrity: '', party: 'first' } as const
  const check = {
    bucket,
    merchantId,
    page,
    checkedAt: 1,
    checkedBy: userId,
    errors: 1,
    warnings: 0,
    report: '{"findings":[],"scripts":0,"isCut":false}',
  }
  const note = { at: 1, actor: `user:${userId}`, action: 'page.checked', merchantId, subject: userId, version: 0, mac: new Uint8Array(0) }
  await app.store.write(savePageCheck, {
    check,
    scripts: [await seal({ ...unreviewed, bucket, merchantId, page, ...seen })],
    pagesMax: 9,
    scriptsMax: 9,
    replaced: [],
    watch: null,
    audit: { ...note, requestId: '', outcome: 'broken' },
  })
  app.findings.record({
    requestId: userId,
    method: 'cards.check',
    merchantId,
    callerKind: 'server',
    origin: page,
    hasCardNumber: false,
    error: 'credentialInBrowser',
  })
  await app.findings.runOnce()
  const requestId = '5e0d1ce5a000e00000e00001'
  const logged = makeRequest(1, { bucket, merchantId, requestId, at: app.clock.now(), cardId: card.token.slice(0, 24) })
  await app.requestLog.append(toSegments([encodeRow(logged)]))
  const added = await app.webhookReports.endpoints.add(merchantId, 'http://127.0.0.1:9/of-the-victim', operatorActor)
  assert.ok(!(added instanceof SettingProblem))
  const { receipt: another } = await shop.call('receipts.create', { amount: 500_000 })
  await shop.call('receipts.cancel', { id: another._id })
  const [event] = await app.webhookReports.endpoints.events(merchantId, 0, 1)
  return {
    cardId: card.token.slice(0, 24),
    receiptId: receipt._id,
    userId,
    sessionId: cookie?.slice(0, 24) ?? '',
    customer,
    phone,
    page,
    scriptId,
    requestId,
    passkeyId,
    endpointId: added.endpointId,
    eventId: event?.eventId ?? '',
    exportId: (await owner.call('dashboard.exports.start', { list: 'receipts', format: 'csv', conditions: [] })).exportId,
  }
}

/** All of the victim's that a stranger could change; tries to sign in are counted, and nothing else of a user. */
async function pictureOf(): Promise<object> {
  const { bucket, merchantId, userId } = victim
  const user = await app.store.read(findDashboardUser(userId))
  return {
    card: await app.store.read(findCard({ bucket, merchantId, cardId: owned.cardId })),
    receipt: await app.store.read(findReceipt({ bucket, merchantId, receiptId: owned.receiptId })),
    user: { ...user, failedAttempts: 0, lockedUntil: 0, failedCodes: 0, codesLockedUntil: 0 },
    merchant: await app.store.read(findMerchant(merchantId)),
    endpoints: await app.store.read(listEndpoints({ bucket, merchantId })),
    deliveries: await app.store.read(listDeliveries({ bucket, eventId: owned.eventId })),
    checks: await app.store.read(listPageChecks({ bucket, merchantId })),
    scripts: await app.store.read(listPageScripts({ bucket, merchantId })),
    findings: await app.store.read(listFindings({ bucket, merchantId })),
    passkeys: await app.store.read(listPasskeys(userId)),
    recoveryCodes: await app.store.read(listRecoveryCodes(userId)),
    users: (await app.store.read(listDashboardUsers(merchantId, '', 10))).length,
    steps: await app.store.read(listScenarioSteps(merchantId)),
    limits: app.controls?.limits(merchantId),
    offsetMs: app.controls?.offsetMs(),
    inbox: await app.store.read(listMerchantInbox({ merchantId, after: null, count: 10 })),
    exports: (await app.store.read(listAuditOfSubject(merchantId, owned.exportId, 9))).length,
    sessions: (await app.store.read(listDashboardSessions(userId, 10))).length,
  }
}
