import assert from 'node:assert/strict'
import { test } from 'node:test'

import { keyIdOfEndpointPassword, openEndpointPassword, sealEndpointPassword } from './endpoint-password.ts'
import { SealBrokenError } from './layer.ts'
import { merchantA, merchantB, sampleDek } from './samples.fixture.ts'

const dek = sampleDek('webhook')
const owner = { environment: 'test', merchantId: merchantA, url: 'https://shop.example/payme', login: 'Paycom' }

test('a password for an endpoint opens for its own merchant, URL and login, and for no other', () => {
  const password = Buffer.from('a:key')
  const sealed = sealEndpointPassword(password, dek, owner)
  assert.ok(password.equals(openEndpointPassword(sealed, dek, owner)))
  const others = [{ url: 'https://shop.example/' }, { merchantId: merchantB }, { environment: 'production' }, { login: 'paycom' }]
  for (const other of others) assert.throws(() => openEndpointPassword(sealed, dek, { ...owner, ...other }), SealBrokenError)
  assert.throws(() => openEndpointPassword(sealed, sampleDek('webhook'), owner), SealBrokenError)
  assert.throws(() => openEndpointPassword(sealed, { ...dek, purpose: 'pepper' }, owner), SealBrokenError)
  assert.equal(keyIdOfEndpointPassword(sealed), dek.keyId)
  assert.equal(keyIdOfEndpointPassword(new Uint8Array(3)), null)
})
