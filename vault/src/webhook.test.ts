import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SealBroken } from './layer.ts'
import { merchantA, merchantB, sampleDek } from './samples.fixture.ts'
import { drawWebhookSecret, keyIdOfWebhookSecret, openWebhookSecret, sealWebhookSecret, tellWebhookSecret } from './webhook.ts'

const dek = sampleDek('webhook')
const owner = { environment: 'test', merchantId: merchantA, endpointId: '65f0c0ffee0000000000e001', url: 'https://shop.example/events' }

test('a webhook secret opens for its own endpoint and URL, and for no other', () => {
  const secret = drawWebhookSecret()
  const sealed = sealWebhookSecret(secret, dek, owner)
  assert.ok(Buffer.from(openWebhookSecret(sealed, dek, owner)).equals(secret))
  const others = [
    { url: 'https://shop.example/other' },
    { merchantId: merchantB },
    { environment: 'production' },
    { endpointId: 'e'.repeat(24) },
  ]
  for (const other of others) assert.throws(() => openWebhookSecret(sealed, dek, { ...owner, ...other }), SealBroken)
  assert.throws(() => openWebhookSecret(sealed, sampleDek('webhook'), owner), SealBroken)
  assert.throws(() => openWebhookSecret(sealed, { ...dek, purpose: 'pepper' }, owner), SealBroken)
  assert.equal(keyIdOfWebhookSecret(sealed), dek.keyId)
  assert.equal(keyIdOfWebhookSecret(new Uint8Array(3)), null)
})

test('a webhook secret is told as Standard Webhooks writes it, and two are never the same', () => {
  assert.match(tellWebhookSecret(drawWebhookSecret()), /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.notDeepEqual(drawWebhookSecret(), drawWebhookSecret())
})
