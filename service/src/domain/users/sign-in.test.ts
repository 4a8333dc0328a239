import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findProof } from '@tessera/contract/proof-of-work'
import { totpCode, totpStepAt } from '@tessera/vault/totp'

import { deleteSignInAttempts } from '../../store/sign-in-attempts.ts'
import { decodeBase32 } from '../../testing/base32.fixture.ts'
import { createDashboardClient, type DashboardUser } from '../../testing/dashboard-user.fixture.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'

import { userSettings } from './dependencies.ts'
import { makeSignInAttempts } from './sign-in-attempts.ts'

const app = await createTestApp({ after })
const client = createDashboardClient(app)
const { maxAttempts, lockMs } = userSettings

/** The reason of a sign-in's refusal, what it needs, or null for a success. */
async function signIn(by: DashboardUser, params: { phone: string; password: string; code?: string }): Promise<string | null> {
  const { result, error } = await by.callRaw('dashboard.session.signIn', params)
  return error?.reason ?? (result as { needs: string | null }).needs
}

/** Wrong passwords of a stranger, until the login is locked for unknown devices. */
async function lock({ phone }: { phone: string }): Promise<void> {
  const stranger = client.visitor()
  for (let n = 0; n < maxAttempts; n++) assert.equal(await signIn(stranger, { phone, password: 'wrong' }), 'sign_in_refused')
  assert.equal(await signIn(stranger, { phone, password: 'wrong' }), 'sign_in_locked')
}

/** A user with a second factor, and its codes: each call moves the time on to the next one. */
async function userWithCodes(): Promise<{ user: DashboardUser; code: () => string; recovery: readonly string[] }> {
  const user = await client.user('owner')
  const { secret } = await user.call('dashboard.totp.begin', { password: user.password })
  const code = (): string => {
    app.clock.advance(30_000)
    return totpCode(decodeBase32(secret), totpStepAt(app.clock.now()))
  }
  const { recoveryCodes } = await user.call('dashboard.totp.confirm', { code: code() })
  return { user, code, recovery: recoveryCodes }
}

test('a login is locked for unknown devices only: its own device still signs in, without a wait, and opens it for others', async () => {
  const user = await client.user('read')
  await lock(user)
  const elsewhere = client.visitor()
  assert.equal(await signIn(elsewhere, user), 'sign_in_locked')
  const own = client.visitor()
  own.device = user.device
  assert.equal(await signIn(own, { phone: user.phone, password: 'wrong' }), 'sign_in_refused')
  assert.equal(await signIn(own, user), null)
  assert.equal(await signIn(elsewhere, user), null)
})

test('without its device a locked login opens after half an hour (control)', async () => {
  const user = await client.user('read')
  await lock(user)
  const elsewhere = client.visitor()
  app.clock.advance(lockMs - 1)
  assert.equal(await signIn(elsewhere, user), 'sign_in_locked')
  app.clock.advance(1)
  assert.equal(await signIn(elsewhere, user), null)
})

test('a second factor or a recovery code besides the password opens a locked login at once', async () => {
  const { user, code, recovery } = await userWithCodes()
  for (const next of [code, () => recovery[0] ?? '']) {
    await lock(user)
    const elsewhere = client.visitor()
    assert.equal(await signIn(elsewhere, user), 'sign_in_locked')
    assert.equal(await signIn(elsewhere, { ...user, code: next() }), null)
    assert.equal(await signIn(client.visitor(), user), 'totp')
  }
})

test('in a locked login a stranger’s codes cost the owner nothing, and no reply tells whether the password was right', async () => {
  const { user, code } = await userWithCodes()
  await lock(user)
  const stranger = client.visitor()
  const reply = async (password: string, given: string): Promise<string> =>
    JSON.stringify((await stranger.callRaw('dashboard.session.signIn', { phone: user.phone, password, code: given })).error)
  const wrong = await reply('wrong', '000000')
  for (let n = 0; n < 3 * maxAttempts; n++) {
    stranger.address = `198.51.${n}.7`
    assert.equal(await reply('wrong', String(n).padStart(6, '0')), wrong)
  }
  assert.equal(await reply('wrong', code()), wrong)
  assert.equal(await reply(user.password, '000000'), wrong)
  assert.equal(await signIn(client.visitor(), { ...user, code: code() }), null)
})

test('who has the password can try no more than ten codes in a locked login', async () => {
  const { user, code } = await userWithCodes()
  await lock(user)
  const thief = client.visitor()
  for (let n = 0; n < maxAttempts; n++) assert.equal(await signIn(thief, { ...user, code: String(n).padStart(6, '0') }), 'sign_in_refused')
  assert.equal(await signIn(thief, { ...user, code: code() }), 'sign_in_locked')
  thief.address = '198.51.100.7'
  assert.equal(await signIn(thief, { ...user, code: code() }), 'sign_in_refused')
})

test('who guesses at a locked login with codes is stopped, and its owner comes in from another address and on a known device', async () => {
  const { user, code } = await userWithCodes()
  await lock(user)
  const stranger = client.visitor()
  const guess = (password: string) => signIn(stranger, { phone: user.phone, password, code: '000000' })
  for (let n = 0; n < maxAttempts; n++) assert.equal(await guess('wrong'), 'sign_in_refused')
  assert.equal(await guess('wrong'), 'sign_in_locked')
  assert.equal(await guess(user.password), 'sign_in_locked')
  const own = client.visitor()
  own.device = user.device
  assert.equal(await signIn(own, user), 'totp')
  const elsewhere = client.visitor()
  elsewhere.address = '198.51.100.7'
  assert.equal(await signIn(elsewhere, { ...user, code: code() }), null)
})

test('ten wrong passwords on a known device make it an unknown one, and lock no other', async () => {
  const user = await client.user('read')
  const stolen = client.visitor()
  stolen.device = user.device
  await user.signIn()
  const other = client.visitor()
  assert.equal(await signIn(other, user), null)
  for (let n = 0; n < maxAttempts; n++) assert.equal(await signIn(stolen, { phone: user.phone, password: 'wrong' }), 'sign_in_refused')
  await lock(user)
  assert.equal(await signIn(stolen, user), 'sign_in_locked')
  assert.equal(await signIn(other, user), null)
})

test('the cookie of a device is one of its user, with its secret, and ends with a new password and with a sign-out everywhere', async () => {
  const [user, neighbour] = [await client.user('read'), await client.user('read')]
  await lock(user)
  const thief = client.visitor()
  const forged = `${user.device?.slice(0, -1) ?? ''}${user.device?.endsWith('A') === true ? 'B' : 'A'}`
  for (const device of [neighbour.device, forged, '', 'x'.repeat(3000)]) {
    thief.device = device
    assert.equal(await signIn(thief, user), 'sign_in_locked')
  }
  const former = user.device
  const newPassword = 'four plain words here'
  await user.call('dashboard.password.change', { password: user.password, newPassword })
  user.password = newPassword
  await lock(user)
  thief.device = former
  assert.equal(await signIn(thief, user), 'sign_in_locked')
  thief.device = user.device
  assert.equal(await signIn(thief, user), null)
  await user.signIn()
  await user.call('dashboard.session.signOutEverywhere', {})
  await lock(user)
  thief.device = user.device
  assert.equal(await signIn(thief, user), 'sign_in_locked')
})

test('a phone without a login is locked like one with it', async () => {
  await lock({ phone: '998777777777' })
  assert.equal(await signIn(client.visitor(), { phone: '998777777777', password: 'wrong', code: '123456' }), 'sign_in_refused')
})

test('resetting the stored counts gives no further attempts in this process, as it does in another one (control)', async () => {
  const user = await client.user('read')
  const subjects = [await makeSignInAttempts({ ...app, settings: userSettings }).subjectOf('phone', user.phone)]
  const stranger = client.visitor()
  for (let n = 0; n < maxAttempts; n++) {
    assert.equal(await signIn(stranger, { phone: user.phone, password: 'wrong' }), 'sign_in_refused')
    await app.store.write(deleteSignInAttempts, { subjects })
  }
  assert.equal(await signIn(stranger, { phone: user.phone, password: 'wrong' }), 'sign_in_locked')
  assert.equal(await makeSignInAttempts({ ...app, settings: userSettings }).lockedUntil(subjects[0] ?? ''), 0)
})

test('concurrent wrong attempts lock a login like sequential ones', async () => {
  const attempts = makeSignInAttempts({ ...app, settings: userSettings })
  const counted = await Promise.all(Array.from({ length: 30 }, () => attempts.count('one subject')))
  assert.equal(counted.filter((isCounted) => isCounted).length, maxAttempts)
  const others = Array.from({ length: 30 }, () => makeSignInAttempts({ ...app, settings: userSettings }))
  const byProcesses = await Promise.all(others.map((other) => other.count('another subject')))
  assert.equal(byProcesses.filter((isCounted) => isCounted).length, maxAttempts)
})

test('a lock that somebody wrote for years ahead is none', async () => {
  const attempts = makeSignInAttempts({ ...app, settings: userSettings })
  const far = makeSignInAttempts({ ...app, settings: { ...userSettings, lockMs: 1000 * lockMs } })
  for (let n = 0; n < maxAttempts; n++) await far.count('a third subject')
  assert.equal(await attempts.lockedUntil('a third subject'), 0)
  assert.equal(await attempts.count('a third subject'), true)
})

test('while others wait, an unknown device is asked for a proof of work, and a known one is not', async () => {
  const user = await client.user('read')
  const crowd = Array.from({ length: 6 }, (_, n) => {
    const one = client.visitor()
    one.address = `203.0.113.${n}`
    return signIn(one, { phone: `99860000000${n}`, password: 'wrong' })
  })
  await Promise.all(crowd)
  const elsewhere = client.visitor()
  const { phone, password } = user
  const { result } = await elsewhere.callRaw('dashboard.session.signIn', { phone, password })
  const { needs, proof: asked } = result as { needs: string; proof: { challenge: string; bits: number } }
  assert.equal(needs, 'proof')
  const proof = { challenge: asked.challenge, nonce: findProof(asked, { from: 0, count: 1e7 }) ?? -1 }
  const send = (by: DashboardUser, given: object): Promise<string | null> => signIn(by, { phone, password, ...given })
  assert.equal(await send(elsewhere, { proof: { ...proof, nonce: proof.nonce + 1 } }), 'proof')
  assert.equal(await send(elsewhere, { proof }), null)
  assert.equal(await send(elsewhere, {}), null)
  const third = client.visitor()
  assert.equal(await send(third, { proof }), 'proof')
})
