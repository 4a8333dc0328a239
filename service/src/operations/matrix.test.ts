import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import {
  isOperationName,
  isPublicOperation,
  publicOperations,
  type Params,
  type PublicOperation,
  type PublicOperationName,
} from '@tessera/contract/operations'

import { cardSettings } from '../domain/cards/services.ts'

import type { TestMerchant } from '../testing/test-merchant.fixture.ts'
import { defaultConfig } from '../testing/default-config.fixture.ts'
import { newReceipt } from '../testing/receipts.fixture.ts'
import { createTestApp } from '../testing/test-app.fixture.ts'

import { operationRegistry } from './registry.ts'

const app = await createTestApp({ after })
const elsewhere = await createTestApp({ after })
const pan = '8600495473316478'
const owner = app.merchant()

/** Every token that is not the caller's live one, with what each method that takes a token says of it. */
const tokens: Record<string, { make: () => Promise<string>; by?: TestMerchant; code: number; reason: string; data?: string }> = {
  'of another merchant': { make: () => owner.createToken(pan), by: app.merchant(), code: -31400, reason: 'card_not_found' },
  'of another merchant in the same bucket': {
    make: () => owner.createToken(pan),
    by: sameBucket(),
    code: -31400,
    reason: 'card_not_found',
  },
  'that does not exist': { make: async () => `6b015d9002e0bb7c691c8af8_${'A'.repeat(43)}`, code: -31400, reason: 'card_not_found' },
  'with the right id and another secret': {
    make: async () => swapLast(await owner.createToken(pan)),
    code: -31400,
    reason: 'card_not_found',
  },
  'with the right id and no possible secret': {
    make: async () => `${await owner.createToken(pan)}0`,
    code: -31400,
    reason: 'card_not_found',
  },
  'of another environment': {
    make: () => elsewhere.merchant('spec', owner.merchantId).createToken(pan),
    code: -31400,
    reason: 'card_not_found',
  },
  'of a removed card': { make: removed, code: -31400, reason: 'card_deleted', data: 'deleted' },
  'of a card whose life is over': { make: ended, code: -31400, reason: 'card_ended' },
  'of no token shape': { make: async () => 'f00', code: -32500, reason: 'token_shape', data: 'token' },
  'in capitals': { make: async () => `ABCDEF012345ABCDEF012345_${'A'.repeat(43)}`, code: -32500, reason: 'token_shape', data: 'token' },
  'that is empty': { make: async () => '', code: -32500, reason: 'token_shape', data: 'token' },
}

/** Every operation that takes a card token, by its contract. */
const takingToken = Object.keys(operationRegistry)
  .filter((name): name is PublicOperationName => isOperationName(name) && isPublicOperation(name))
  .filter((name) => 'token' in publicOperations[name].params.properties)

function exampleParams(name: string): object {
  const methods: Readonly<Record<string, PublicOperation>> = publicOperations
  return methods[name]?.example.params ?? {}
}

for (const [kind, { make, by = owner, code, reason, data }] of Object.entries(tokens)) {
  test(`a token ${kind} gets the same error from every operation that takes one`, async () => {
    assert.ok(takingToken.length >= 5)
    for (const profile of ['spec', 'subscribe'] as const) {
      const token = await make()
      const caller = by.withProfile(profile)
      for (const name of takingToken) {
        const id = await newReceipt(caller.withProfile('spec'))
        const params = { ...exampleParams(name), token, id } as Params<typeof name>
        const reply = await caller.callRaw(name, params)
        assert.ok('error' in reply, name)
        assert.deepEqual([reply.error.code, reply.error.reason, reply.error.data], [code, reason, data], name)
        assert.ok(!('retry_after' in reply.error), name)
      }
    }
    assert.deepEqual(app.alarms, [])
  })
}

test('a row of the test environment in production is an internal error, never a card', async (t) => {
  const production = await createTestApp(t, { continues: app, store: app.store, environment: 'production' })
  const token = await owner.createToken(pan)
  assert.equal(await production.merchant('spec', owner.merchantId).expectError('cards.check', { token }), 'internal_error')
  assert.deepEqual(production.alarms, [`row_tampered ${token.slice(0, 24)}`])
  await production.close()
})

async function removed(): Promise<string> {
  const token = await owner.createToken(pan)
  await owner.call('cards.remove', { token })
  return token
}

async function ended(): Promise<string> {
  const token = await owner.createToken(pan)
  app.clock.advance(cardSettings(defaultConfig).unverifiedLifetimeMs)
  return token
}

function swapLast(token: string): string {
  return `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
}

/** One in 4,096 ids; found in a moment. */
function sameBucket(): TestMerchant {
  for (;;) {
    const other = app.merchant()
    if (other.bucket === owner.bucket && other.merchantId !== owner.merchantId) return other
  }
}
