import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { totpCode, totpStepAt } from '@tessera/vault/totp'

import { decodeBase32 } from '../testing/base32.fixture.ts'
import { createDashboardClient, type DashboardUser } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { listAuditOfSubject } from '../store/audit.ts'
import { listRecoveryCodes } from '../store/dashboard-recovery-codes.ts'
import { acceptTotpStep, findDashboardUser, resetSignInAttempts } from '../store/dashboard-users.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

test('a second factor is required once confirmed, and each code is accepted once, the confirming one included', async () => {
  const { user, secret, code } = await withTotp()
  assert.equal(await user.signIn(), 'totp')
  const confirming = code()
  assert.equal(await refusal(user, confirming), 'sign_in_refused')
  app.clock.advance(30_000)
  const used = code()
  assert.equal(await user.signIn(used), null)
  assert.equal(await refusal(user, used), 'sign_in_refused')
  // The control: another code of the same secret.
  assert.equal(await user.signIn(totpCode(decodeBase32(secret), totpStepAt(app.clock.now()) + 1)), null)
})

test('a second factor can be turned off', async () => {
  const { user, code } = await withTotp()
  assert.equal(await user.signIn(), 'totp')
  assert.equal(await user.expectError('dashboard.totp.remove', { password: user.password }), 'confirmation_required')
  app.clock.advance(30_000)
  await user.call('dashboard.session.confirm', { code: code() })
  assert.equal(await user.expectError('dashboard.totp.remove', { password: 'not it' }), 'password_wrong')
  await user.call('dashboard.totp.remove', { password: user.password })
  assert.equal(await user.signIn(), null)
})

test('wrong codes have one count: after ten, right codes and recovery codes are refused for half an hour', async () => {
  const { user, code, recoveryCodes } = await withTotp()
  const { password } = user
  await user.call('dashboard.session.confirm', { code: recoveryCodes[9] ?? '' })
  const pending = await user.call('dashboard.totp.begin', { password })
  const wrong = (): string => String((Number(code()) + 1) % 1_000_000).padStart(6, '0')
  for (let turn = 0; turn < 5; turn++) {
    assert.equal(await refusal(user, wrong()), 'sign_in_refused')
    assert.equal(await user.expectError('dashboard.totp.confirm', { code: wrong() }), 'totp_wrong')
  }
  app.clock.advance(60_000)
  assert.equal(await user.expectError('dashboard.totp.confirm', { code: codeOf(pending.secret) }), 'totp_wrong')
  assert.equal(await refusal(user, code()), 'sign_in_refused')
  assert.equal(await refusal(user, recoveryCodes[0] ?? ''), 'sign_in_refused')
  app.clock.advance(30 * 60_000)
  assert.equal(await user.signIn(recoveryCodes[0]), null)
})

test('somebody who resets the stored counts between guesses gets no more guesses', async () => {
  const { user, code, recoveryCodes } = await withTotp()
  const wrong = (): string => String((Number(code()) + 1) % 1_000_000).padStart(6, '0')
  for (let turn = 1; turn <= 10; turn++) {
    await refusal(user, wrong())
    await app.store.write(acceptTotpStep, { userId: user.userId, totpStep: Number.MAX_SAFE_INTEGER - 10 + turn })
    await app.store.write(resetSignInAttempts, { userId: user.userId })
  }
  const stored = await app.store.read(findDashboardUser(user.userId))
  assert.deepEqual([stored?.failedCodes, stored?.codesLockedUntil], [0, 0], 'the control: the row counts nothing')
  assert.equal(await refusal(user, recoveryCodes[0] ?? ''), 'sign_in_refused')
  app.clock.advance(30 * 60_000)
  assert.equal(await user.signIn(recoveryCodes[0]), null)
})

test('each of ten recovery codes signs in once, in any spelling; they are stored as keyed hashes, and new ones replace them', async () => {
  const { user, recoveryCodes } = await withTotp()
  assert.equal(new Set(recoveryCodes).size, 10)
  const [first = '', second = '', third = ''] = recoveryCodes
  assert.match(first, /^[b-z]{4}-[b-z]{4}-[b-z]{4}$/)
  assert.equal(await user.signIn(first), null)
  assert.equal(await refusal(user, first), 'sign_in_refused')
  assert.equal(await user.signIn(second.replaceAll('-', ' ').toUpperCase()), null)
  const stored = Buffer.from(JSON.stringify(await app.store.read(listRecoveryCodes(user.userId)))).toString()
  assert.ok(stored.includes('"number":3') && !stored.includes(third) && !stored.includes(third.replaceAll('-', '')))
  const other = await withTotp()
  assert.equal(await refusal(other.user, third), 'sign_in_refused', 'a code of another user')
  const entries = await app.store.read(listAuditOfSubject(user.merchantId, user.userId, 50))
  assert.equal(entries.filter(({ action }) => action === 'dashboard_user.recovery_code_used').length, 2)
})

test('an unconfirmed TOTP secret has no effect and is stored sealed', async () => {
  const user = await entrance.user('owner')
  const { secret } = await user.call('dashboard.totp.begin', { password: user.password })
  assert.equal((await app.store.read(findDashboardUser(user.userId)))?.totp, null)
  await user.call('dashboard.totp.confirm', { code: totpCode(decodeBase32(secret), totpStepAt(app.clock.now())) })
  const stored = Buffer.from((await app.store.read(findDashboardUser(user.userId)))?.totp ?? [])
  assert.ok(stored.length > 20 && !stored.includes(Buffer.from(decodeBase32(secret))))
})

interface UserWithTotp {
  readonly user: DashboardUser
  readonly secret: string
  readonly recoveryCodes: readonly string[]
  /** The code that the authenticator shows now. */
  code(): string
}

async function withTotp(): Promise<UserWithTotp> {
  const user = await entrance.user('owner')
  await user.call('dashboard.totp.begin', { password: user.password })
  assert.equal(await user.signIn(), null)
  const { secret, uri } = await user.call('dashboard.totp.begin', { password: user.password })
  assert.match(uri, /^otpauth:\/\/totp\/.*secret=[A-Z2-7]{32}&/)
  const code = () => codeOf(secret)
  assert.equal(await user.expectError('dashboard.totp.confirm', { code: code() === '000000' ? '000001' : '000000' }), 'totp_wrong')
  const { recoveryCodes } = await user.call('dashboard.totp.confirm', { code: code() })
  return { user, secret, recoveryCodes, code }
}

function codeOf(secret: string): string {
  return totpCode(decodeBase32(secret), totpStepAt(app.clock.now()))
}

function refusal(user: DashboardUser, code: string): Promise<string> {
  return user.expectError('dashboard.session.signIn', { phone: user.phone, password: user.password, code })
}
