import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'

import { drawWebhookSecret, tellWebhookSecret } from '@tessera/vault/webhook'

import { signatureHeaders } from './sign.ts'

test('a signature is the one that the library of Standard Webhooks makes, for any secret, id, moment and body', () => {
  const messages = fc.record({
    secret: fc.uint8Array({ minLength: 24, maxLength: 64 }),
    id: fc.string({ minLength: 1, maxLength: 40 }),
    at: fc.integer({ min: 0, max: 4_102_444_800_000 }),
    body: fc.string({ unit: 'binary', maxLength: 200 }),
  })
  fc.assert(
    fc.property(messages, ({ secret, ...message }) => {
      const library = new Webhook(tellWebhookSecret(secret))
      const headers = signatureHeaders([secret], message)
      assert.equal(headers['webhook-signature'], library.sign(message.id, new Date(message.at), message.body))
    }),
  )
})

test('during a rotation the holder of either secret verifies, and of another does not', () => {
  const [newer, older, other] = [drawWebhookSecret(), drawWebhookSecret(), drawWebhookSecret()]
  const body = '{"type":"receipt.paid","timestamp":"2026-11-21T09:00:00.000Z","data":{}}'
  const headers = signatureHeaders([newer, older], { id: 'e'.repeat(24), at: Date.now(), body })
  for (const secret of [newer, older]) assert.deepEqual(new Webhook(tellWebhookSecret(secret)).verify(body, headers), JSON.parse(body))
  assert.throws(() => new Webhook(tellWebhookSecret(other)).verify(body, headers))
  assert.throws(() => new Webhook(tellWebhookSecret(newer)).verify(body.replace('paid', 'held'), headers))
})

test('a delivery that is replayed by a thief after five minutes does not verify', () => {
  const secret = drawWebhookSecret()
  const headers = signatureHeaders([secret], { id: 'e', at: Date.now() - 301_000, body: '{}' })
  assert.throws(() => new Webhook(tellWebhookSecret(secret)).verify('{}', headers))
})
