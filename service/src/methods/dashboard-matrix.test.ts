// Every method of the dashboard, by every role and from another merchant. A new method fails here until it has params below.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { dashboardMethods, isMethodName, type DashboardMethodName } from '@tessera/contract/methods'

import { openEntrance, type Person } from '../dashboard/visitor.fixture.ts'

import { makeRequest } from '../store/suite/requests.fixture.ts'
import { compose } from './compose.fixture.ts'

const house = await compose()
const entrance = openEntrance(house)
after(() => house.close())

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
}

/** Params of each method, pointed at what somebody owns. */
const pointed: Readonly<Record<DashboardMethodName, (at: Owned) => object>> = {
  'dashboard.requests.list': ({ cardId }) => ({ cardId }),
  'dashboard.requests.get': ({ requestId }) => ({ requestId }),
  'dashboard.requests.replay': ({ requestId }) => ({ requestId }),
  'dashboard.session.signIn': ({ phone }) => ({ phone, password: 'not it' }),
  'dashboard.session.get': () => ({}),
  'dashboard.session.list': () => ({}),
  'dashboard.session.signOut': ({ sessionId }) => ({ sessionId }),
  'dashboard.session.signOutEverywhere': () => ({}),
  'dashboard.password.change': () => ({ password: 'not it', newPassword: 'another good password' }),
  'dashboard.totp.begin': () => ({ password: 'not it' }),
  'dashboard.totp.confirm': () => ({ code: '000000' }),
  'dashboard.totp.remove': () => ({ password: 'not it', code: '000000' }),
  'dashboard.users.list': () => ({}),
  'dashboard.users.create': ({ phone }) => ({ phone, role: 'read' }),
  'dashboard.users.setRole': ({ userId }) => ({ userId, role: 'read' }),
  'dashboard.users.block': ({ userId }) => ({ userId, blocked: true }),
  'dashboard.users.resetPassword': ({ userId }) => ({ userId }),
  'dashboard.cards.list': ({ customer }) => ({ search: customer }),
  'dashboard.cards.get': ({ cardId }) => ({ cardId }),
  'dashboard.cards.remove': ({ cardId }) => ({ cardId }),
  'dashboard.audit.list': ({ cardId }) => ({ subject: cardId }),
  'dashboard.receipts.list': () => ({}),
  'dashboard.receipts.get': ({ receiptId }) => ({ receiptId }),
  'dashboard.receipts.cancel': ({ receiptId }) => ({ receiptId }),
  'dashboard.receipts.confirm': ({ receiptId }) => ({ receiptId }),
  'dashboard.settings.get': () => ({}),
  'dashboard.settings.change': () => ({ requireFormSessions: true }),
  'dashboard.passwords.rotate': () => ({}),
  'dashboard.passwords.retire': () => ({ number: 1 }),
  'dashboard.start.get': () => ({}),
  'dashboard.start.makeToken': () => ({ lastFour: '6311' }),
  'dashboard.overview.get': () => ({ days: 7 }),
  'dashboard.verification.funnel': () => ({ days: 7 }),
  'dashboard.verification.list': () => ({}),
  'dashboard.verification.inbox': () => ({}),
  'dashboard.webhooks.list': () => ({}),
  'dashboard.webhooks.add': () => ({ url: 'http://127.0.0.1:9/of-the-stranger' }),
  'dashboard.webhooks.rotate': ({ endpointId }) => ({ endpointId }),
  'dashboard.webhooks.remove': ({ endpointId }) => ({ endpointId }),
  'dashboard.webhooks.sendTest': ({ endpointId }) => ({ endpointId }),
  'dashboard.webhooks.deliveries': ({ endpointId }) => ({ endpointId }),
  'dashboard.webhooks.delivery': ({ endpointId, eventId }) => ({ endpointId, eventId }),
  'dashboard.webhooks.replay': ({ endpointId, eventId }) => ({ endpointId, eventId }),
  'dashboard.compliance.get': () => ({}),
  'dashboard.compliance.responsibilities': () => ({ locale: 'uz' }),
  'dashboard.consents.list': () => ({}),
  'dashboard.pageCheck.run': () => ({ html: '<p>a page', locale: 'en' }),
  'dashboard.pageCheck.list': () => ({}),
  'dashboard.pageCheck.get': ({ page }) => ({ page, locale: 'en' }),
  'dashboard.scripts.list': () => ({}),
  'dashboard.scripts.judge': ({ scriptId }) => ({ scriptId, print: 'sha256-of-the-victim', judged: 'refused', reason: 'not mine' }),
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
const owned = await own(victim)
const everything = [
  owned.endpointId,
  owned.eventId,
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
const names = Object.keys(dashboardMethods).filter((name): name is DashboardMethodName => isMethodName(name))

for (const name of names) {
  test(`${name} is for the roles that its row names, and shows and does another merchant nothing`, async () => {
    assert.ok(name in pointed, `${name} has no params in the matrix`)
    const { role: needed } = dashboardMethods[name]
    assert.equal(house.grid[name].role, needed)
    for (const role of ['read', 'support', 'developer', 'owner'] as const) {
      const stranger = await entrance.user(role)
      const before = await pictureOf()
      const reply = await stranger.call(name, pointed[name](owned))
      const isAllowed = (allowed[needed] as readonly string[]).includes(role)
      assert.equal(reply.error?.reason === 'role_too_low', !isAllowed, `${role}: ${JSON.stringify(reply)}`)
      const text = JSON.stringify(reply)
      for (const mark of everything) assert.ok(!text.includes(mark), `${role} was told ${mark}: ${text}`)
      assert.deepEqual(await pictureOf(), before, role)
    }
    const nobody = entrance.visitor()
    const { error } = await nobody.call(name, pointed[name](owned))
    if (needed !== 'visitor') assert.equal(error?.reason, 'signed_out')
  })
}

test('none of the dashboard’s methods is there at the API, whoever asks', async () => {
  const { rehearse, request, told } = await import('../rpc/door.fixture.ts')
  for (const method of names) {
    const { error } = told(await rehearse().answer(request({ id: 1, method, params: {} })))
    assert.deepEqual([error?.code, error?.reason], [-32601, 'method_not_found'], method)
  }
})

test('none of the API’s methods is there at the dashboard’s door', async () => {
  const owner = await entrance.user('owner')
  for (const method of ['cards.check', 'receipts.get_all', 'rpc.discover']) {
    const { error } = await owner.call(method as DashboardMethodName, {})
    assert.equal(error?.reason, 'method_not_found', method)
  }
})

async function own(owner: Person): Promise<Owned> {
  const customer = 'mark-of-the-victim'
  const shop = house.caller('spec', owner.merchantId)
  const { card } = await shop.expect('cards.create', { card: { number: '', expire: '0399' }, customer, save: true }, '8600495473316478')
  // Something to count, and an SMS in the inbox.
  await shop.expect('cards.get_verify_code', { token: card.token })
  await house.tallies.runOnce(new AbortController().signal)
  const { receipt } = await shop.expect('receipts.create', { amount: 500_000 })
  const { userId, phone, cookie, bucket, merchantId } = owner
  const [page, scriptId] = ['https://shop-of-the-victim.example/pay', '5c1'.padEnd(24, '0')]
  const seen = { scriptId, address: `${page}.js`, print: 'sha256-of-the-victim', integrity: '', party: 'first' } as const
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
  await house.store.keepPageCheck({ check, scripts: [seen], pagesMax: 9, scriptsMax: 9 }, { ...note, requestId: '', outcome: 'broken' })
  house.findings.saw({
    ...{ requestId: userId, method: 'cards.check', merchantId, as: 'server', origin: page, hasCardNumber: false },
    error: 'credentialInBrowser',
  })
  await house.findings.runOnce()
  const requestId = '5e0d1ce5a000e00000e00001'
  await house.store.appendRequests([
    makeRequest(1, { bucket, merchantId, requestId, at: house.clock.now(), cardId: card.token.slice(0, 24) }),
  ])
  const added = await house.webhookDesk.endpoints.add(merchantId, 'http://127.0.0.1:9/of-the-victim')
  assert.ok(typeof added === 'object')
  const { receipt: another } = await shop.expect('receipts.create', { amount: 500_000 })
  await shop.expect('receipts.cancel', { id: another._id })
  const [event] = await house.webhookDesk.endpoints.events(merchantId, 0, 1)
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
    endpointId: added.endpointId,
    eventId: event?.eventId ?? '',
  }
}

/** All of the victim's that a stranger could change; tries to sign in are counted, and nothing else of a user. */
async function pictureOf(): Promise<object> {
  const { bucket, merchantId, userId } = victim
  const user = await house.store.findDashboardUser(userId)
  return {
    card: await house.store.findCard({ bucket, merchantId, cardId: owned.cardId }),
    receipt: await house.store.findReceipt({ bucket, merchantId, receiptId: owned.receiptId }),
    user: { ...user, tries: 0, lockedUntil: 0 },
    merchant: await house.store.findMerchant(merchantId),
    endpoints: await house.store.listEndpoints({ bucket, merchantId }),
    deliveries: await house.store.listDeliveries({ bucket, eventId: owned.eventId }),
    checks: await house.store.listPageChecks({ bucket, merchantId }),
    scripts: await house.store.listPageScripts({ bucket, merchantId }),
    findings: await house.store.listFindings({ bucket, merchantId }),
    users: (await house.store.listDashboardUsers(merchantId, '', 10)).length,
    steps: await house.store.listScenarioSteps(merchantId),
    limits: house.controls?.limits(merchantId),
    offsetMs: house.controls?.offsetMs(),
    inbox: await house.store.listInboxOf({ merchantId, after: null, count: 10 }),
    sessions: (await house.store.listDashboardSessions(userId, 10)).length,
  }
}
