import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import type { Params } from '@tessera/contract/operations'
import { totpCode, totpStepAt } from '@tessera/vault/totp'

import { listAuditOfSubject } from '../store/audit.ts'
import { findPasskey } from '../store/dashboard-passkeys.ts'
import { makeTestAuthenticator, type TestAuthenticator } from '../testing/authenticator.fixture.ts'
import { decodeBase32 } from '../testing/base32.fixture.ts'
import { createDashboardClient, type DashboardUser } from '../testing/dashboard-user.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

type Assertion = Params<'dashboard.session.signInByPasskey'>['passkey']

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

test('a passkey is registered, named, listed with its use, renamed and removed', async () => {
  const user = await entrance.user('owner')
  const { authenticator, passkeyId, recoveryCodes } = await register(user)
  assert.equal(recoveryCodes.length, 10)
  const listed = async () => (await user.call('dashboard.passkeys.list', {})).passkeys
  assert.deepEqual(await listed(), [{ passkeyId, name: 'My device', isSynced: false, createdAt: app.clock.now(), lastUsedAt: null }])
  app.clock.advance(1)
  const second = await register(user, { isSynced: true })
  assert.deepEqual([second.isSynced, second.recoveryCodes], [true, []], 'recovery codes come with the first factor only')
  await user.call('dashboard.passkeys.rename', { passkeyId, name: ' Laptop <b> ' })
  app.clock.advance(1000)
  await signInWith(user, authenticator)
  const [first] = await listed()
  assert.deepEqual([first?.name, first?.lastUsedAt], ['Laptop <b>', app.clock.now()])
  await confirmWith(user, authenticator)
  await user.call('dashboard.passkeys.remove', { passkeyId })
  assert.equal(await user.expectError('dashboard.passkeys.remove', { passkeyId }), 'passkey_not_found')
  assert.equal(await user.expectError('dashboard.passkeys.rename', { passkeyId, name: 'x' }), 'passkey_not_found')
  assert.equal(await refusedSignIn(user, await assertionOf(user, authenticator)), 'sign_in_refused')
  await signInWith(user, second.authenticator)
})

test('a password alone does not sign in a user with a passkey: the passkey or a recovery code is the second factor', async () => {
  const user = await entrance.user('owner')
  const { authenticator, recoveryCodes } = await register(user)
  const { phone, password } = user
  app.clock.advance(1)
  const { needs, passkey } = await user.call('dashboard.session.signIn', { phone, password })
  assert.ok(needs === 'passkey' && passkey !== null)
  assert.deepEqual(passkey.credentialIds, [authenticator.id])
  app.clock.advance(1)
  assert.equal((await user.call('dashboard.session.signIn', { phone, password, passkey: authenticator.get(passkey) })).needs, null)
  assert.equal(await user.signIn(recoveryCodes[0]), null)
  assert.equal(
    await user.expectError('dashboard.session.signIn', { phone, password: 'wrong', passkey: authenticator.get(passkey) }),
    'sign_in_refused',
  )
})

const unhappy: Readonly<Record<string, (user: DashboardUser, authenticator: TestAuthenticator) => Promise<Assertion>>> = {
  'another origin': async (user, authenticator) => {
    authenticator.origin = 'http://localhost:9999'
    const assertion = await assertionOf(user, authenticator)
    authenticator.origin = 'http://localhost:8080'
    return assertion
  },
  'another relying party': async (user, authenticator) => {
    authenticator.rpId = 'thief.example'
    const assertion = await assertionOf(user, authenticator)
    authenticator.rpId = 'localhost'
    return assertion
  },
  'no user verification': async (user, authenticator) => {
    authenticator.isUserVerified = false
    const assertion = await assertionOf(user, authenticator)
    authenticator.isUserVerified = true
    return assertion
  },
  'a counter that went back': async (user, authenticator) => {
    authenticator.counter = -1 + 1
    await signInWith(user, authenticator)
    authenticator.counter = 0
    return assertionOf(user, authenticator)
  },
  'a challenge of more than five minutes ago': async (user, authenticator) => {
    const assertion = await assertionOf(user, authenticator)
    app.clock.advance(5 * 60_000)
    return assertion
  },
  'a challenge for a confirmation': async (user, authenticator) => {
    const { passkey } = await user.call('dashboard.session.confirmBegin', {})
    return authenticator.get(passkey ?? assert.fail('no challenge'))
  },
  'a challenge of somebody else': (_user, authenticator) => {
    const challenge = Buffer.alloc(72, 1).toString('base64url')
    return Promise.resolve(authenticator.get({ challenge, rpId: 'localhost', credentialIds: [] }))
  },
  'a signature of another key': async (user, authenticator) => {
    const other = makeTestAuthenticator()
    return { ...(await assertionOf(user, other)), id: authenticator.id }
  },
  'an unknown passkey': async (user) => assertionOf(user, makeTestAuthenticator()),
  'malformed data': (_user, { id }) => Promise.resolve({ id, clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' }),
}

for (const [what, arrange] of Object.entries(unhappy)) {
  test(`a sign-in with ${what} is refused, and the same passkey signs in afterwards`, async () => {
    const user = await entrance.user('read')
    const { authenticator } = await register(user)
    app.clock.advance(1)
    const assertion = await arrange(user, authenticator)
    assert.equal(await refusedSignIn(user, assertion), 'sign_in_refused')
    authenticator.counter = 50
    app.clock.advance(1)
    await signInWith(user, authenticator)
  })
}

for (const isSynced of [false, true]) {
  test(`the response of a ${isSynced ? 'synced' : 'device-bound'} passkey is accepted once`, async () => {
    const user = await entrance.user('read')
    const { authenticator } = await register(user, { isSynced })
    app.clock.advance(1)
    const older = await assertionOf(user, authenticator)
    app.clock.advance(1)
    const assertion = await assertionOf(user, authenticator)
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => user.callRaw('dashboard.session.signInByPasskey', { passkey: assertion })),
    )
    assert.equal(replies.filter(({ error }) => error === undefined).length, 1)
    assert.equal(await refusedSignIn(user, assertion), 'sign_in_refused')
    assert.equal(await refusedSignIn(user, older), 'sign_in_refused')
  })
}

test('a passkey of another user is neither a second factor nor a confirmation', async () => {
  const [user, other] = [await entrance.user('owner'), await entrance.user('owner')]
  const [{ authenticator }, { authenticator: foreign }] = [await register(user), await register(other)]
  user.confirmsItself = false
  app.clock.advance(10 * 60_000)
  const { phone, password } = user
  const { passkey } = await user.call('dashboard.session.signIn', { phone, password })
  assert.ok(passkey !== null)
  assert.equal(await user.expectError('dashboard.session.signIn', { phone, password, passkey: foreign.get(passkey) }), 'sign_in_refused')
  const begun = (await user.call('dashboard.session.confirmBegin', {})).passkey ?? assert.fail('no challenge')
  assert.equal(await user.expectError('dashboard.session.confirm', { passkey: foreign.get(begun) }), 'passkey_refused')
  // A challenge belongs to its session.
  const othersChallenge = (await other.call('dashboard.session.confirmBegin', {})).passkey ?? assert.fail('no challenge')
  assert.equal(await user.expectError('dashboard.session.confirm', { passkey: authenticator.get(othersChallenge) }), 'passkey_refused')
  assert.equal(await user.expectError('dashboard.users.create', { phone: '998333333333', role: 'read' }), 'confirmation_required')
  // The control.
  await confirmWith(user, authenticator)
  await user.call('dashboard.users.create', { phone: '998333333333', role: 'read' })
  const entries = await app.store.read(listAuditOfSubject(user.merchantId, user.userId, 50))
  assert.equal(entries.filter(({ action, outcome }) => action === 'dashboard.confirmation_refused' && outcome === 'passkey').length, 2)
})

test('where the merchant requires a second factor, a synced passkey alone asks for a code, and a device-bound one does not', async () => {
  const owner = await entrance.user('owner')
  const { secret } = await owner.call('dashboard.totp.begin', { password: owner.password })
  const code = () => totpCode(decodeBase32(secret), totpStepAt(app.clock.now()))
  const { recoveryCodes } = await owner.call('dashboard.totp.confirm', { code: code() })
  await owner.call('dashboard.session.confirm', { code: recoveryCodes[0] ?? '' })
  const bound = await register(owner)
  const synced = await register(owner, { isSynced: true })
  app.clock.advance(1)
  await signInWith(owner, synced.authenticator)
  await confirmWith(owner, bound.authenticator)
  await owner.call('dashboard.settings.change', { requireSecondFactor: true })
  app.clock.advance(60_000)

  const passkey = await assertionOf(owner, synced.authenticator)
  assert.equal((await owner.call('dashboard.session.signInByPasskey', { passkey })).needs, 'totp')
  const wrong = String((Number(code()) + 1) % 1_000_000).padStart(6, '0')
  assert.equal(await owner.expectError('dashboard.session.signInByPasskey', { passkey, code: wrong }), 'sign_in_refused')
  assert.equal((await owner.call('dashboard.session.signInByPasskey', { passkey, code: code() })).needs, null)
  assert.equal(await owner.expectError('dashboard.session.signInByPasskey', { passkey, code: recoveryCodes[1] ?? '' }), 'sign_in_refused')
  app.clock.advance(1)
  await signInWith(owner, bound.authenticator)
})

test('where a second factor is required, a synced passkey and the password open a locked phone, and ten wrong passwords end that', async () => {
  const owner = await entrance.user('owner')
  const synced = await register(owner, { isSynced: true })
  await confirmWith(owner, synced.authenticator)
  await owner.call('dashboard.settings.change', { requireSecondFactor: true })
  app.clock.advance(60_000)
  const { phone, password } = owner
  const elsewhere = entrance.visitor()
  for (let n = 0; n < 10; n++)
    assert.equal(await elsewhere.expectError('dashboard.session.signIn', { phone, password: 'wrong' }), 'sign_in_refused')
  assert.equal(await elsewhere.expectError('dashboard.session.signIn', { phone, password }), 'sign_in_locked', 'the control')

  const signIn = async (given: { password?: string }) => {
    app.clock.advance(1)
    const { result, error } = await elsewhere.callRaw('dashboard.session.signInByPasskey', {
      passkey: await assertionOf(elsewhere, synced.authenticator),
      ...given,
    })
    return error?.reason ?? (result as { needs: string | null }).needs
  }
  assert.equal(await signIn({}), 'password')
  assert.equal(await signIn({ password: 'wrong' }), 'sign_in_refused')
  assert.equal(await signIn({ password }), null)
  for (let n = 0; n < 10; n++) assert.equal(await signIn({ password: 'wrong' }), 'sign_in_refused')
  assert.equal(await signIn({ password }), 'sign_in_refused')
})

test('a registration is refused for another origin, without user verification, twice, in another session and after five minutes', async () => {
  const user = await entrance.user('read')
  const authenticator = makeTestAuthenticator()
  const begin = () => user.call('dashboard.passkeys.begin', {})
  authenticator.origin = 'https://thief.example'
  assert.equal(await user.expectError('dashboard.passkeys.add', authenticator.create(await begin())), 'passkey_refused')
  authenticator.origin = 'http://localhost:8080'
  authenticator.isUserVerified = false
  assert.equal(await user.expectError('dashboard.passkeys.add', authenticator.create(await begin())), 'passkey_refused')
  authenticator.isUserVerified = true
  const late = authenticator.create(await begin())
  app.clock.advance(5 * 60_000)
  assert.equal(await user.expectError('dashboard.passkeys.add', late), 'passkey_refused')
  const elsewhere = authenticator.create(await begin())
  await user.signIn()
  assert.equal(await user.expectError('dashboard.passkeys.add', elsewhere), 'passkey_refused')
  const created = authenticator.create(await begin())
  const { passkeyId } = await user.call('dashboard.passkeys.add', created)
  await confirmWith(user, authenticator)
  assert.equal(await user.expectError('dashboard.passkeys.add', authenticator.create(await begin())), 'passkey_exists')
  await user.call('dashboard.passkeys.remove', { passkeyId })
  assert.equal(await user.expectError('dashboard.passkeys.add', created), 'passkey_refused', 'the same response once more')
})

test('the stored counter is the last one, and the counter of a synced passkey stays 0', async () => {
  const user = await entrance.user('read')
  const [bound, synced] = [await register(user), await register(user, { isSynced: true })]
  bound.authenticator.counter = 4_000_000_000
  app.clock.advance(1)
  await signInWith(user, bound.authenticator)
  await signInWith(user, synced.authenticator)
  assert.equal((await app.store.read(findPasskey(bound.authenticator.id)))?.counter, 4_000_000_001)
  assert.equal((await app.store.read(findPasskey(synced.authenticator.id)))?.counter, 0)
})

async function register(user: DashboardUser, options: { isSynced?: boolean } = {}) {
  const authenticator = makeTestAuthenticator(options)
  const added = await user.call('dashboard.passkeys.add', authenticator.create(await user.call('dashboard.passkeys.begin', {})))
  return { authenticator, ...added }
}

async function assertionOf(user: DashboardUser, authenticator: TestAuthenticator): Promise<Assertion> {
  return authenticator.get((await user.call('dashboard.session.passkeyChallenge', {})).passkey)
}

async function signInWith(user: DashboardUser, authenticator: TestAuthenticator): Promise<void> {
  const { needs } = await user.call('dashboard.session.signInByPasskey', { passkey: await assertionOf(user, authenticator) })
  assert.equal(needs, null)
  user.csrf = (await user.call('dashboard.session.get', {})).session?.csrf ?? null
}

function refusedSignIn(user: DashboardUser, passkey: Assertion): Promise<string> {
  return user.expectError('dashboard.session.signInByPasskey', { passkey })
}

async function confirmWith(user: DashboardUser, authenticator: TestAuthenticator): Promise<void> {
  app.clock.advance(1)
  const { passkey } = await user.call('dashboard.session.confirmBegin', {})
  await user.call('dashboard.session.confirm', { passkey: authenticator.get(passkey ?? assert.fail('no challenge')) })
}
