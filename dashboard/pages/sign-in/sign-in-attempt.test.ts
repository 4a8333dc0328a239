import assert from 'node:assert/strict'
import { test } from 'node:test'

import { attemptSignIn, type SignInStage, type SignInSteps } from './sign-in-attempt.ts'

const credentials = { phone: '998900000000', password: 'a password' }
const request = { challenge: 'ab'.repeat(32), bits: 15 }

/** The service's replies in turn, and what the page showed and sent. */
function play(replies: readonly (Awaited<ReturnType<SignInSteps['call']>> | { readonly busyMs: number })[]) {
  const stages: SignInStage[] = []
  const sent: object[] = []
  const slept: number[] = []
  const left = [...replies]
  const steps: SignInSteps = {
    call: async (params) => {
      sent.push(params)
      const reply = left.shift() ?? assert.fail('one call too many')
      if ('busyMs' in reply) throw new Error(String(reply.busyMs))
      return reply
    },
    solve: async ({ challenge }, onProgress) => {
      onProgress(0.5)
      return { challenge, nonce: 7 }
    },
    retryAfterMs: (err) => (err instanceof Error && /^[0-9]+$/.test(err.message) ? Number(err.message) : null),
    sleep: async (ms) => void slept.push(ms),
    onStage: (stage) => stages.push(stage),
  }
  return { steps, stages, sent, slept }
}

test('a sign-in without a crowd is one call, and nothing has to be said', async () => {
  const { steps, stages, sent } = play([{ needs: 'totp', passkey: null }])
  assert.equal((await attemptSignIn(credentials, steps)).needs, 'totp')
  assert.deepEqual([sent, stages], [[credentials], []])
})

test('in a crowd it solves the challenge, waits where there is no room, and sends each proof once', async () => {
  const { steps, stages, sent, slept } = play([
    { needs: 'proof', passkey: null, proof: request },
    { busyMs: 2000 },
    { needs: 'proof', passkey: null, proof: request },
    { needs: null, passkey: null },
  ])
  assert.equal((await attemptSignIn(credentials, steps)).needs, null)
  const proven = { ...credentials, proof: { challenge: request.challenge, nonce: 7 } }
  assert.deepEqual(sent, [credentials, proven, credentials, proven])
  assert.deepEqual(slept, [2000])
  assert.deepEqual(
    stages.map((stage) => stage?.kind),
    ['solving', 'solving', 'waiting', 'waiting', 'solving', 'solving', 'waiting'],
  )
})

test('it gives up on other errors at once, and after twenty turns', async () => {
  const refused = play([])
  await assert.rejects(attemptSignIn(credentials, { ...refused.steps, call: () => Promise.reject(new Error('refused')) }), /refused/)
  const busy = play(Array.from({ length: 20 }, () => ({ busyMs: 1 })))
  await assert.rejects(attemptSignIn(credentials, busy.steps))
  assert.equal(busy.sent.length, 20)
})
