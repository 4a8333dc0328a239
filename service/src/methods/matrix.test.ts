import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { makeCards } from '../cards/cards.ts'
import { cardFigures } from '../cards/figures.ts'
import { makeSandboxNetwork } from '../sandbox/network.ts'

import { makeCaller, type Caller } from './caller.fixture.ts'
import { compose } from './compose.fixture.ts'
import { makeGrid } from './index.ts'

const house = await compose()
const elsewhere = await compose()
after(async () => {
  await house.close()
  await elsewhere.close()
})
const pan = '8600495473316478'
const owner = house.caller()

/** Every token that is not the caller's live one, with what each method that takes a token says of it. */
const tokens: Record<string, { make: () => Promise<string>; by?: Caller; code: number; reason: string; data?: string }> = {
  'of another merchant': { make: () => owner.token(pan), by: house.caller(), code: -31400, reason: 'card_not_found' },
  'of another merchant in the same bucket': { make: () => owner.token(pan), by: sameBucket(), code: -31400, reason: 'card_not_found' },
  'that nobody has': { make: async () => `6b015d9002e0bb7c691c8af8_${'A'.repeat(43)}`, code: -31400, reason: 'card_not_found' },
  'with the right id and another secret': { make: async () => swapLast(await owner.token(pan)), code: -31400, reason: 'card_not_found' },
  'with the right id and no possible secret': { make: async () => `${await owner.token(pan)}0`, code: -31400, reason: 'card_not_found' },
  'of another environment': { make: () => elsewhere.caller('spec', owner.merchantId).token(pan), code: -31400, reason: 'card_not_found' },
  'of a removed card': { make: removed, code: -31400, reason: 'card_deleted', data: 'deleted' },
  'of a card whose life is over': { make: ended, code: -31400, reason: 'card_ended' },
  'of no token shape': { make: async () => 'f00', code: -32500, reason: 'token_shape', data: 'token' },
  'in capitals': { make: async () => `ABCDEF012345ABCDEF012345_${'A'.repeat(43)}`, code: -32500, reason: 'token_shape', data: 'token' },
  'that is empty': { make: async () => '', code: -32500, reason: 'token_shape', data: 'token' },
}

for (const [kind, { make, by = owner, code, reason, data }] of Object.entries(tokens)) {
  test(`a token ${kind} is answered alike by every method`, async () => {
    for (const profile of ['spec', 'subscribe'] as const) {
      const token = await make()
      const caller = by.in(profile)
      for (const call of [
        () => caller.call('cards.check', { token }),
        () => caller.call('cards.get_verify_code', { token }),
        () => caller.call('cards.verify', { token, code: '666666' }),
        () => caller.call('cards.remove', { token }),
      ]) {
        const reply = await call()
        assert.ok('error' in reply)
        assert.deepEqual([reply.error.code, reply.error.reason, reply.error.data], [code, reason, data])
        assert.ok(!('retry_after' in reply.error))
      }
    }
    assert.deepEqual(house.alarms, [])
  })
}

test('a row of the test environment in the place of a production one is a fault of ours, never a card', async () => {
  const { store, keyring, clock } = house
  const network = makeSandboxNetwork({ store, clock })
  const alarms: string[] = []
  const alarm = (event: string) => void alarms.push(event)
  const cards = makeCards({ store, keyring, network, clock, environment: 'production', figures: cardFigures, alarm })
  const caller = makeCaller(makeGrid({ ...house, cards, version: '0' }), owner.merchantId, 'spec')
  const token = await owner.token(pan)
  assert.equal(await caller.refused('cards.check', { token }), 'internal_error')
  assert.deepEqual(alarms, ['row_tampered'])
})

async function removed(): Promise<string> {
  const token = await owner.token(pan)
  await owner.expect('cards.remove', { token })
  return token
}

async function ended(): Promise<string> {
  const token = await owner.token(pan)
  house.clock.advance(cardFigures.unverifiedLifeMs)
  return token
}

function swapLast(token: string): string {
  return `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
}

/** One in 4,096 ids; found in a moment. */
function sameBucket(): Caller {
  for (;;) {
    const other = house.caller()
    if (other.bucket === owner.bucket && other.merchantId !== owner.merchantId) return other
  }
}
