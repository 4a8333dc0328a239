import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'

import { createWebhookSecret, formatWebhookSecret } from '@tessera/vault/webhook'

import { signatureHeaders } from './sign.ts'

test('a signature equals that of the Standard Webhooks library, for any secret, id, time and body', () => {
  const messages = fc.record({
    secret: fc.uint8Array({ minLength: 24, maxLength: 64 }),
    id: fc.string({ minLength: 1, maxLength: 40 }),
    at: fc.integer({ min: 0, max: 4_102_444_800_000 }),
    body: fc.string({ unit: 'binary', maxLength: 200 }),
  })
  fc.assert(
    fc.property(messages, ({ secret, ...message }) => {
      const library = new Webhook(formatWebhookSecret(secret))
      const headers = signatureHeaders([secret], message)
      assert.equal(headers['webhook-signature'], library.sign(message.id, new Date(message.at), message.body))
    }),
  )
})

test('during a rotation either secret verifies the signature, and no other secret does', () => {
  const [newer, older, other] = [createWebhookSecret(), createWebhookSecret(), createWebhookSecret()]
  const body = '{"type":"receipt.paid","timestamp":"2026-11-21T09:00:00.000Z","data":{}}'
  const headers = signatureHeaders([newer, older], { id: 'e'.repeat(24), at: Date.now(), body })
  for (const secret of [newer, older]) assert.deepEqual(new Webhook(formatWebhookSecret(secret)).verify(body, headers), JSON.parse(body))
  assert.throws(() => new Webhook(formatWebhookSecret(other)).verify(body, headers))
  assert.throws(() => new Webhook(formatWebhookSecret(newer)).verify(body.replace('paid', 'held'), headers))
})

test('a delivery that is replayed after five minutes does not verify', () => {
  const secret = createWebhookSecret()
  const headers = signatureHeaders([secret], { id: 'e', at: Date.now() - 301_000, body: '{}' })
  assert.throws(() => new Webhook(formatWebhookSecret(secret)).verify('{}', headers))
})
