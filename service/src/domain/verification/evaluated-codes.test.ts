import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeEvaluatedCodes, type CodeCap } from './evaluated-codes.ts'

const code: CodeCap = { kind: 'code', subject: 'a code', max: 2, endsAt: 1000 }
const day: CodeCap = { kind: 'cardDay', subject: 'a card number', max: 3, endsAt: 2000 }

test('a claim waits while evaluations in progress could use up the cap, and gets their place when they were not counted', async () => {
  const codes = makeEvaluatedCodes()
  await codes.claim([code], 0)
  await codes.claim([code], 0)
  let isClaimed = false
  const third = codes.claim([code], 0).then((usedUp) => {
    isClaimed = true
    return usedUp
  })
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(isClaimed, false)
  codes.resolve([code], 'notCounted')
  assert.equal(await third, null)
  const fourth = codes.claim([code], 0)
  codes.resolve([code], 'counted')
  codes.resolve([code], 'counted')
  assert.deepEqual(await fourth, { cap: code, isConfirmed: true })
})

test('an evaluation whose outcome is unknown counts, but does not confirm that the store counted it', async () => {
  const codes = makeEvaluatedCodes()
  for (const result of ['counted', 'unknown'] as const) {
    await codes.claim([code], 0)
    codes.resolve([code], result)
  }
  assert.deepEqual(await codes.claim([code], 0), { cap: code, isConfirmed: false })
})

test('the cap that is used up is returned, and the others are not claimed', async () => {
  const codes = makeEvaluatedCodes()
  for (const subject of ['one', 'two', 'three']) {
    const caps = [{ ...code, subject }, day]
    assert.equal(await codes.claim(caps, 0), null)
    codes.resolve(caps, 'counted')
  }
  const caps = [{ ...code, subject: 'four', max: 1 }, day]
  assert.deepEqual(await codes.claim(caps, 0), { cap: day, isConfirmed: true })
  assert.equal(await codes.claim(caps.slice(0, 1), 0), null)
})
