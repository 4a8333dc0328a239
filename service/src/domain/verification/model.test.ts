import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, test } from 'node:test'

import { readSearchSeed, readSearchSize } from '../../../../tools/search-size.ts'
import { createTestApp } from '../../testing/test-app.fixture.ts'

import { verificationRules, type Rules } from './model.fixture.ts'
import { play } from './model.suite.ts'

const app = await createTestApp({ after })
/** A seed of its own for each run, and one that has met every outcome and found every bent rule. */
const newSeed = readSearchSeed(randomInt(2 ** 31))
const provenSeed = 1
/** `npm run soak -- verification` asks for 20,000. */
const rounds = readSearchSize(60)

test('for any calls in any order and time the app agrees with the model', async (t) => {
  t.diagnostic(`seed ${newSeed}: replay with TESSERA_TEST_SEED=${newSeed}`)
  const { mismatch, calls } = await play(app, { seed: newSeed, rule: verificationRules, rounds })
  assert.equal(mismatch, null)
  t.diagnostic(`${calls} calls`)
})

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
  'card_deleted',
  'card_ended',
]
