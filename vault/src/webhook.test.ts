import assert from 'node:assert/strict'
import { test } from 'node:test'

import { SealBrokenError } from './layer.ts'
import { merchantA, merchantB, sampleDek } from './samples.fixture.ts'
import { createWebhookSecret, keyIdOfWebhookSecret, openWebhookSecret, sealWebhookSecret, formatWebhookSecret } from './webhook.ts'

const dek = sampleDek('webhook')
const owner = { environment: 'test', merchantId: merchantA, endpointId: '65f0c0ffee0000000000e001', url: 'https://shop.example/events' }

test('a webhook secret opens for its own endpoint and URL, and for no other', () => {
  const secret = createWebhookSecret()
  const sealed = sealWebhookSecret(secret, dek, owner)
  assert.ok(Buffer.from(openWebhookSecret(sealed, dek, owner)).equals(secret))
  const others = [
    { url: 'https://shop.example/other' },
    { merchantId: merchantB },
    { environment: 'production' },
    { endpointId: 'e'.repeat(24) },
  ]
  for (const other of others) assert.throws(() => openWebhookSecret(sealed, dek, { ...owner, ...other }), SealBrokenError)
  assert.throws(() => openWebhookSecret(sealed, sampleDek('webhook'), owner), SealBrokenError)
  assert.throws(() => openWebhookSecret(sealed, { ...dek, purpose: 'pepper' }, owner), SealBrokenError)
  assert.equal(keyIdOfWebhookSecret(sealed), dek.keyId)
  assert.equal(keyIdOfWebhookSecret(new Uint8Array(3)), null)
})

test('a webhook secret is formatted as in Standard Webhooks, and no two are the same', () => {
  assert.match(formatWebhookSecret(createWebhookSecret()), /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.notDeepEqual(createWebhookSecret(), createWebhookSecret())
})
