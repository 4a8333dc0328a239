import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { dashboardOperations, type DashboardOperationName, isOperationName } from '@tessera/contract/operations'
import { totpCode, totpStepAt } from '@tessera/vault/totp'

import { userSettings } from '../domain/users/dependencies.ts'
import { listAuditOfSubject } from '../store/audit.ts'
import { listPasskeys } from '../store/dashboard-passkeys.ts'
import { listRecoveryCodes } from '../store/dashboard-recovery-codes.ts'
import { findDashboardUser, listDashboardUsers } from '../store/dashboard-users.ts'
import { findMerchant } from '../store/merchants.ts'
import { listEndpoints } from '../store/webhook-endpoints.ts'
import { makeTestAuthenticator } from '../testing/authenticator.fixture.ts'
import { decodeBase32 } from '../testing/base32.fixture.ts'
import { createDashboardClient, type DashboardUser } from '../testing/dashboard-user.fixture.ts'
import { successPan } from '../testing/receipts.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

/** Params of each operation that asks for a confirmation, at something of the merchant. */
const confirmed: Readonly<Record<string, (at: { readonly userId: string; readonly endpointId: string }, owner: DashboardUser) => object>> =
  {
    'dashboard.password.change': (_at, { password }) => ({ password, newPassword: 'another good password' }),
    'dashboard.totp.begin': (_at, { password }) => ({ password }),
    'dashboard.totp.remove': (_at, { password }) => ({ password }),
    'dashboard.recoveryCodes.renew': () => ({}),
    'dashboard.passkeys.begin': () => ({}),
    'dashboard.passkeys.add': () => ({ name: 'Mine', id: 'AAAA', clientDataJSON: 'AAAA', attestationObject: 'AAAA', transports: [] }),
    'dashboard.passkeys.remove': () => ({ passkeyId: '0'.repeat(24) }),
    'dashboard.users.create': () => ({ phone: '998777777777', role: 'owner' }),
    'dashboard.users.setRole': ({ userId }) => ({ userId, role: 'owner' }),
    'dashboard.users.block': ({ userId }) => ({ userId, blocked: true }),
    'dashboard.users.resetPassword': ({ userId }) => ({ userId }),
    'dashboard.users.delete': ({ userId }) => ({ userId }),
    'dashboard.passwords.rotate': () => ({ scope: 'full' }),
    'dashboard.passwords.retire': () => ({ number: 1 }),
    'dashboard.webhooks.add': () => ({ url: 'https://thief.example/' }),
    'dashboard.webhooks.rotate': ({ endpointId }) => ({ endpointId }),
  }

/** What a session alone may change: no credential, role or secret. A new operation goes here or gets a `confirmation` in its contract. */
const unconfirmed = [
  'dashboard.cards.remove',
  'dashboard.exports.finish',
  'dashboard.exports.start',
  'dashboard.pageCheck.run',
  'dashboard.pageCheck.stopWatching',
  'dashboard.passkeys.rename',
  'dashboard.passwords.rename',
  'dashboard.receipts.cancel', // above the merchant's limit it asks, see below
  'dashboard.receipts.confirm',
  'dashboard.requests.replay',
  'dashboard.sandbox.moveClock',
  'dashboard.sandbox.reset',
  'dashboard.sandbox.restore',
  'dashboard.sandbox.setLimits',
  'dashboard.sandbox.setStep',
  'dashboard.scripts.review',
  'dashboard.session.confirm',
  'dashboard.session.signOut',
  'dashboard.session.signOutEverywhere',
  'dashboard.settings.change', // asks for what only an owner changes, see below
  'dashboard.start.makePayment',
  'dashboard.totp.confirm', // takes a code of the secret that `begin` returned
  'dashboard.users.rename',
  'dashboard.webhooks.change',
  'dashboard.webhooks.remove',
  'dashboard.webhooks.replay',
  'dashboard.webhooks.replayFailed',
  'dashboard.webhooks.sendTest',
]

test('every operation of the dashboard that changes something asks for a confirmation, or is listed as one that needs none', () => {
  const changing = Object.values(dashboardOperations).filter(({ mutates, role }) => mutates && role !== 'visitor')
  const asking = Object.values(dashboardOperations).filter((contract) => 'confirmation' in contract)
  assert.deepEqual(asking.map(({ name }) => name).sort(), Object.keys(confirmed).sort())
  assert.deepEqual(
    changing
      .filter((contract) => !('confirmation' in contract))
      .map(({ name }) => name)
      .sort(),
    unconfirmed.toSorted(),
  )
})

for (const factor of ['password', 'totp', 'passkey'] as const) {
  test(`a stolen session alone changes no credential of a user with ${factor === 'password' ? 'a password only' : `a ${factor}`}`, async () => {
    const { owner, at, confirm } = await makeOwner(factor)
    owner.confirmsItself = false
    const untouched = await pictureOf(owner)
    for (const [name, paramsOf] of Object.entries(confirmed)) {
      assert.ok(isDashboardName(name))
      // The thief does not know the password: it stands in the params of these, whatever else the user has.
      const isPasswordAsked = 'password' in paramsOf(at, owner)
      const before = await pictureOf(owner)
      const withoutPassword = isPasswordAsked ? { ...paramsOf(at, owner), password: 'a guess of it' } : paramsOf(at, owner)
      const { error } = await owner.callRaw(name, withoutPassword)
      const expected = factor === 'password' && isPasswordAsked ? 'password_wrong' : 'confirmation_required'
      assert.equal(error?.reason, expected, name)
      if (factor !== 'password') assert.equal((await owner.callRaw(name, paramsOf(at, owner))).error?.reason, 'confirmation_required', name)
      assert.deepEqual(await pictureOf(owner), before, name)
    }
    // The control: the same calls after a confirmation.
    await confirm()
    for (const [name, paramsOf] of Object.entries(confirmed)) {
      assert.ok(isDashboardName(name))
      if (name === 'dashboard.password.change' || name === 'dashboard.totp.remove') continue
      const { error } = await owner.callRaw(name, paramsOf(at, owner))
      assert.ok(
        error === undefined ||
          ['passkey_refused', 'passkey_not_found', 'phone_taken', 'two_passwords_live', 'last_password'].includes(error.reason),
        name,
      )
    }
    await owner.call('dashboard.password.change', { password: owner.password, newPassword: 'another good password' })
    const changed = await pictureOf(owner)
    for (const part of ['user', 'users', 'merchant', 'endpoints', 'recoveryCodes'] as const)
      assert.notDeepEqual(changed[part], untouched[part], part)
  })
}

test('a confirmation ends after its minutes, belongs to its session, and is no part of signing in', async () => {
  const owner = await entrance.user('owner')
  owner.confirmsItself = false
  const [here, csrf] = [owner.cookie, owner.csrf]
  assert.equal(await owner.expectError('dashboard.recoveryCodes.renew', {}), 'confirmation_required')
  const { validUntil } = await owner.call('dashboard.session.confirm', { password: owner.password })
  assert.equal(validUntil, app.clock.now() + userSettings.confirmationMs)
  await owner.call('dashboard.recoveryCodes.renew', {})
  await owner.signIn()
  assert.equal(await owner.expectError('dashboard.recoveryCodes.renew', {}), 'confirmation_required', 'another session')
  ;[owner.cookie, owner.csrf] = [here, csrf]
  app.clock.advance(userSettings.confirmationMs - 1)
  await owner.call('dashboard.recoveryCodes.renew', {})
  app.clock.advance(1)
  assert.equal(await owner.expectError('dashboard.recoveryCodes.renew', {}), 'confirmation_required')
  // A clock that was set back does not lengthen it.
  app.clock.jump(-userSettings.confirmationMs - 1000)
  assert.equal(await owner.expectError('dashboard.recoveryCodes.renew', {}), 'confirmation_required')
})

test('a user with a second factor confirms by it and not by the password, and wrong codes count as at sign-in', async () => {
  const { owner, code, recoveryCodes } = await makeOwner('totp')
  owner.confirmsItself = false
  const methods = await owner.call('dashboard.session.confirmBegin', {})
  assert.deepEqual(
    [methods.password, methods.totp, methods.recoveryCodesLeft, methods.passkey, methods.minutes],
    [false, true, 10, null, 5],
  )
  assert.equal(await owner.expectError('dashboard.session.confirm', { password: owner.password }), 'totp_wrong')
  assert.equal(await owner.expectError('dashboard.session.confirm', {}), 'member_missing')
  await owner.call('dashboard.session.confirm', { code: recoveryCodes[0] ?? '' })
  assert.equal((await owner.call('dashboard.recoveryCodes.get', {})).left, 9)
  assert.equal(await owner.expectError('dashboard.session.confirm', { code: recoveryCodes[0] ?? '' }), 'totp_wrong')
  app.clock.advance(30_000)
  const used = code()
  await owner.call('dashboard.session.confirm', { code: used })
  assert.equal(await owner.expectError('dashboard.session.confirm', { code: used }), 'totp_wrong')
  const wrong = String((Number(code()) + 1) % 1_000_000).padStart(6, '0')
  for (let turn = 1; turn < 10; turn++) assert.equal(await owner.expectError('dashboard.session.confirm', { code: wrong }), 'totp_wrong')
  app.clock.advance(30_000)
  const { phone, password } = owner
  assert.equal(await owner.expectError('dashboard.session.signIn', { phone, password, code: code() }), 'sign_in_refused')
  const entries = await app.store.read(listAuditOfSubject(owner.merchantId, owner.userId, 100))
  assert.ok(entries.some(({ action, outcome }) => action === 'dashboard.confirmed' && outcome === 'by_recovery_code'))
  assert.equal(entries.filter(({ action, outcome }) => action === 'dashboard.confirmation_refused' && outcome === 'code').length, 11)
})

test('new recovery codes end the earlier ones', async () => {
  const { owner, recoveryCodes, confirm } = await makeOwner('totp')
  await confirm()
  const { recoveryCodes: renewed } = await owner.call('dashboard.recoveryCodes.renew', {})
  assert.equal(renewed.length, 10)
  assert.equal(await owner.expectError('dashboard.session.confirm', { code: recoveryCodes[3] ?? '' }), 'totp_wrong')
  await owner.call('dashboard.session.confirm', { code: renewed[3] ?? '' })
})

test('a refund above the limit of the owner asks for a confirmation, a smaller one and the end of an unpaid receipt do not', async () => {
  const owner = await entrance.user('owner')
  const support = await entrance.user('support', owner.merchantId)
  const developer = await entrance.user('developer', owner.merchantId)
  const shop = app.merchant('spec', owner.merchantId)
  const pay = async (): Promise<string> => {
    const { receipt } = await shop.call('receipts.create', { amount: 500_000 })
    await shop.call('receipts.pay', { id: receipt._id, token: await shop.createVerifiedToken(successPan) })
    return receipt._id
  }
  support.confirmsItself = owner.confirmsItself = false
  const first = await pay()
  assert.equal(await support.expectError('dashboard.receipts.cancel', { receiptId: first }), 'confirmation_required')
  const { receipt: unpaid } = await shop.call('receipts.create', { amount: 500_000 })
  await support.call('dashboard.receipts.cancel', { receiptId: unpaid._id })

  const limit = { refundUnconfirmedMaxTiyin: 500_000 }
  assert.equal(await developer.expectError('dashboard.settings.change', limit), 'role_too_low')
  assert.equal(await owner.expectError('dashboard.settings.change', limit), 'confirmation_required')
  await owner.call('dashboard.session.confirm', { password: owner.password })
  await owner.call('dashboard.settings.change', limit)
  await support.call('dashboard.receipts.cancel', { receiptId: first })

  await owner.call('dashboard.settings.change', { refundUnconfirmedMaxTiyin: 499_999 })
  const second = await pay()
  assert.equal(await support.expectError('dashboard.receipts.cancel', { receiptId: second }), 'confirmation_required')
  assert.equal((await shop.call('receipts.get', { id: second })).receipt.state, 4)
  await support.call('dashboard.session.confirm', { password: support.password })
  await support.call('dashboard.receipts.cancel', { receiptId: second })
})

test('where the merchant requires a second factor, a user without one can only set one up', async () => {
  const owner = await entrance.user('owner')
  const reader = await entrance.user('read', owner.merchantId)
  await owner.call('dashboard.session.confirm', { password: owner.password })
  assert.equal(await reader.expectError('dashboard.settings.change', { requireSecondFactor: false }), 'role_too_low')
  await owner.call('dashboard.settings.change', { requireSecondFactor: true })
  assert.equal(await reader.expectError('dashboard.cards.list', {}), 'second_factor_required')
  assert.equal((await reader.call('dashboard.session.get', {})).session?.mustAddSecondFactor, true)
  const { secret } = await reader.call('dashboard.totp.begin', { password: reader.password })
  await reader.call('dashboard.totp.confirm', { code: codeOf(secret) })
  await reader.call('dashboard.cards.list', {})
  assert.equal((await reader.call('dashboard.session.get', {})).session?.mustAddSecondFactor, false)
})

test('a reset by an owner or an operator ends sessions, codes and passkeys of the user', async () => {
  const { owner, authenticator } = await makeOwner('passkey')
  assert.equal((await app.store.read(listPasskeys(owner.userId))).length, 1)
  assert.equal((await app.store.read(listRecoveryCodes(owner.userId))).length, 10)
  const { password } = await app.dashboard.users.resetPassword(owner, { actor: 'operator', requestId: '', address: '' })
  assert.equal(await owner.expectError('dashboard.session.list', {}), 'signed_out')
  assert.deepEqual(await app.store.read(listPasskeys(owner.userId)), [])
  assert.deepEqual(await app.store.read(listRecoveryCodes(owner.userId)), [])
  const { passkey } = await owner.call('dashboard.session.passkeyChallenge', {})
  assert.equal(await owner.expectError('dashboard.session.signInByPasskey', { passkey: authenticator.get(passkey) }), 'sign_in_refused')
  owner.password = password
  assert.equal(await owner.signIn(), null)
})

async function makeOwner(factor: 'password' | 'totp' | 'passkey') {
  const owner = await entrance.user('owner')
  const other = await entrance.user('read', owner.merchantId)
  const { endpointId } = await owner.call('dashboard.webhooks.add', { url: 'https://shop.example/' })
  app.clock.advance(userSettings.confirmationMs)
  const authenticator = makeTestAuthenticator()
  let secret = ''
  let recoveryCodes: readonly string[] = []
  if (factor === 'totp') {
    secret = (await owner.call('dashboard.totp.begin', { password: owner.password })).secret
    recoveryCodes = (await owner.call('dashboard.totp.confirm', { code: codeOf(secret) })).recoveryCodes
  }
  if (factor === 'passkey') {
    const created = authenticator.create(await owner.call('dashboard.passkeys.begin', {}))
    recoveryCodes = (await owner.call('dashboard.passkeys.add', created)).recoveryCodes
  }
  app.clock.advance(userSettings.confirmationMs)
  const confirm = async (): Promise<void> => {
    const { passkey } = await owner.call('dashboard.session.confirmBegin', {})
    if (passkey !== null) await owner.call('dashboard.session.confirm', { passkey: authenticator.get(passkey) })
    else await owner.call('dashboard.session.confirm', factor === 'totp' ? { code: codeOf(secret) } : { password: owner.password })
  }
  return { owner, at: { userId: other.userId, endpointId }, code: () => codeOf(secret), recoveryCodes, confirm, authenticator }
}

/** All that a thief of a session would want to change. */
async function pictureOf({ userId, merchantId, bucket }: DashboardUser) {
  const uncounted = { failedAttempts: 0, lockedUntil: 0 }
  return {
    user: { ...(await app.store.read(findDashboardUser(userId))), ...uncounted },
    users: (await app.store.read(listDashboardUsers(merchantId, '', 10))).map((user) => ({ ...user, ...uncounted })),
    merchant: await app.store.read(findMerchant(merchantId)),
    endpoints: await app.store.read(listEndpoints({ bucket, merchantId })),
    passkeys: await app.store.read(listPasskeys(userId)),
    recoveryCodes: await app.store.read(listRecoveryCodes(userId)),
  }
}

function isDashboardName(name: string): name is DashboardOperationName {
  return isOperationName(name) && name in dashboardOperations
}

function codeOf(secret: string): string {
  return totpCode(decodeBase32(secret), totpStepAt(app.clock.now()))
}
