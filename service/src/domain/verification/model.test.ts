import assert from 'node:assert/strict'
import { after, test } from 'node:test'

import { letterAlphabet } from '@tessera/contract/verification-code'

import { readSearchSeed, readSearchSize } from '../../../../tools/search-size.ts'
import { policiesWith } from '../../testing/policies.fixture.ts'
import { makeSeeded } from '../../testing/seeded.fixture.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'

import { verificationRules, type Rules } from './model.fixture.ts'
import { play } from './model.suite.ts'
import { drawPolicy } from './random-policy.fixture.ts'

const app = await createTestApp({ after })
/** One that found a stop which held for more than it was begun for; `npm run soak` draws others. */
const searchSeed = readSearchSeed(21)
/** One that meets every outcome and finds every bent rule. */
const provenSeed = 1
/** `npm run soak -- verification` asks for 20,000. */
const rounds = readSearchSize(60)
const policyCount = 5

test('for any calls in any order and time the app agrees with the model', async (t) => {
  t.diagnostic(`seed ${searchSeed}: replay with TESSERA_TEST_SEED=${searchSeed}`)
  const { mismatch, calls } = await play(app, { seed: searchSeed, rule: verificationRules, rounds })
  assert.equal(mismatch, null)
  t.diagnostic(`${calls} calls`)
})

test('under random policies the app agrees with the model', async (t) => {
  const { below } = makeSeeded(searchSeed)
  for (let at = 0; at < policyCount; at++) {
    const seed = below(2 ** 31)
    const { policy, rule, wrongCode } = drawPolicy(seed)
    const own = await createTestApp({ after }, { verification: { policies: policiesWith(policy) } })
    const { mismatch } = await play(own, { seed, rule, wrongCode, rounds })
    assert.equal(mismatch, null, `policy of the seed ${seed} (TESSERA_TEST_SEED=${searchSeed}): ${JSON.stringify(policy)}`)
    assert.deepEqual(own.alarms, [])
    await own.close()
  }
  t.diagnostic(`seed ${searchSeed}, ${policyCount} policies`)
})

/** A policy with everything: letters, three attempts, and a stop for card, phone and customer. */
const strict = {
  policy: {
    alphabet: letterAlphabet,
    maxAttempts: 3,
    lifetimeMs: 59_000,
    stop: { durationMs: 900_000, per: ['card', 'phone', 'customer'] },
  },
  rule: { ...verificationRules, otpAttemptsMax: 3, otpLifetimeMs: 59_000, stopMs: 900_000, stopPer: ['card', 'phone', 'customer'] },
} as const satisfies { policy: object; rule: Rules }
const strictApp = await createTestApp({ after }, { verification: { policies: policiesWith(strict.policy) } })

const bentStops: Record<string, Partial<Rules>> = {
  'a stop that is a second shorter': { stopMs: strict.rule.stopMs - 1000 },
  'a stop that does not hold for the customer': { stopPer: ['card', 'phone'] },
  'wrong codes that a right one does not end': { isStopEnded: false },
}

test('the comparison finds a stop that does not hold for the phone', async () => {
  const policy = { ...strict.policy, stop: { durationMs: 900_000, per: ['phone'] } } as const
  const phoneApp = await createTestApp({ after }, { verification: { policies: policiesWith(policy) } })
  const game = { seed: provenSeed, wrongCode: 'ZZZZZZ', rounds: 100 }
  assert.notEqual((await play(phoneApp, { ...game, rule: { ...strict.rule, stopPer: [] } })).mismatch, null)
  assert.equal((await play(phoneApp, { ...game, rule: { ...strict.rule, stopPer: ['phone'] } })).mismatch, null)
})

test('the comparison reaches a stop', async () => {
  const { mismatch, words } = await play(strictApp, { seed: provenSeed, rule: strict.rule, wrongCode: 'ZZZZZZ', rounds: 100 })
  assert.equal(mismatch, null)
  assert.ok(words.has('verification_stopped'))
})

for (const [fault, change] of Object.entries(bentStops)) {
  test(`the comparison finds under a strict policy ${fault}`, async () => {
    const rule = { ...strict.rule, ...change }
    assert.notEqual((await play(strictApp, { seed: provenSeed, rule, wrongCode: 'ZZZZZZ', rounds: 150 })).mismatch, null)
  })
}

test('the comparison reaches every outcome', async () => {
  const { mismatch, words } = await play(app, { seed: provenSeed, rule: verificationRules, rounds: 150 })
  assert.equal(mismatch, null)
  assert.deepEqual([...words].sort(), [...everyWord].sort())
})

/** The positive control: a model with one rule bent must be caught, or this test finds nothing. */
const bent: Record<string, Partial<Rules>> = {
  'one try more': { otpAttemptsMax: 6 },
  'one try less': { otpAttemptsMax: 4 },
  'a code that lives a second longer': { otpLifetimeMs: verificationRules.otpLifetimeMs + 1000 },
  'a wait that is a second shorter': { resendWaitMs: verificationRules.resendWaitMs - 1000 },
  'a new code that keeps the old tries': { isCodeReset: false },
  'a clock that may drift without end': { driftMaxMs: Infinity },
  'an unverified card that lives a second longer': { unverifiedLifetimeMs: verificationRules.unverifiedLifetimeMs + 1000 },
  'a removal that does not hold': { isRemovalFinal: false },
}

for (const [fault, change] of Object.entries(bent)) {
  test(`the comparison finds ${fault}`, async () => {
    assert.notEqual((await play(app, { seed: provenSeed, rule: { ...verificationRules, ...change }, rounds: 150 })).mismatch, null)
  })
}

const everyWord = [
  'created',
  'sent',
  'verified',
  'unverified',
  'removed',
  'resend_too_soon',
  'card_blocked',
  'sms_not_connected',
  'wrong_code',
  'tries_used_up',
  'code_expired',
  'code_not_requested',
  'code_malformed',
  'card_deleted',
  'card_ended',
]
