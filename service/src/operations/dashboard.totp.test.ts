import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { totpCode, totpStepAt } from '@tessera/vault/totp'

import { createDashboardClient } from '../testing/dashboard-user.fixture.ts'

import { createTestApp } from '../testing/test-app.fixture.ts'
import { findDashboardUser } from '../store/dashboard-users.ts'

const app = await createTestApp({ after })
const entrance = createDashboardClient(app)

test('a second factor is required once confirmed, each code is accepted once, and it can be disabled', async () => {
  const user = await entrance.user('owner')
  const { password } = user
  const { secret, uri } = await user.call('dashboard.totp.begin', { password })
  assert.match(uri, /^otpauth:\/\/totp\/.*secret=[A-Z2-7]{32}&/)
  const code = () => totpCode(bytesOf(secret), totpStepAt(app.clock.now()))
  assert.equal(await user.signIn(), null)
  assert.equal(await user.expectError('dashboard.totp.confirm', { code: code() === '000000' ? '000001' : '000000' }), 'totp_wrong')
  await user.call('dashboard.totp.confirm', { code: code() })
  assert.equal(await user.signIn(), 'totp')
  const used = code()
  assert.equal(await user.signIn(used), null)
  assert.equal(await user.expectError('dashboard.session.signIn', { phone: user.phone, password, code: used }), 'sign_in_refused')
  app.clock.advance(60_000)
  await user.call('dashboard.totp.remove', { password, code: code() })
  assert.equal(await user.signIn(), null)
})

test('an unconfirmed TOTP secret has no effect and is stored sealed', async () => {
  const user = await entrance.user('owner')
  const { secret } = await user.call('dashboard.totp.begin', { password: user.password })
  assert.equal((await app.store.read(findDashboardUser(user.userId)))?.totp, null)
  await user.call('dashboard.totp.confirm', { code: totpCode(bytesOf(secret), totpStepAt(app.clock.now())) })
  const stored = Buffer.from((await app.store.read(findDashboardUser(user.userId)))?.totp ?? [])
  assert.ok(stored.length > 20 && !stored.includes(Buffer.from(bytesOf(secret))))
})

function bytesOf(base32: string): Uint8Array {
  const bits = Array.from(base32, (letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0')).join('')
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2))
}
