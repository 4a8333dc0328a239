import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { findProof, type ProofChallenge } from '@tessera/contract/proof-of-work'

import { createTestApp } from '../../testing/test-app.fixture.ts'

import { makeProofChallenges } from './proof-challenges.ts'

const app = await createTestApp({ after })
const subject = { login: 'login', block: '192.0.2.0/24' }

function solve(asked: ProofChallenge) {
  return { challenge: asked.challenge, nonce: findProof(asked, { from: 0, count: 1e6 }) ?? -1 }
}

test('a solved challenge is accepted once', async () => {
  const challenges = makeProofChallenges(app)
  const proof = solve(await challenges.issue(subject, 10))
  assert.deepEqual([await challenges.accept(subject, proof), await challenges.accept(subject, proof)], [true, false])
  const both = solve(await challenges.issue(subject, 10))
  const concurrent = await Promise.all([challenges.accept(subject, both), challenges.accept(subject, both)])
  assert.equal(concurrent.filter((isAccepted) => isAccepted).length, 1)
})

test('another process of the same keys accepts it too', async () => {
  const proof = solve(await makeProofChallenges(app).issue(subject, 10))
  assert.equal(await makeProofChallenges(app).accept(subject, proof), true)
})

test('a challenge is valid for its login, its block of addresses, its bits and two minutes', async () => {
  const challenges = makeProofChallenges(app)
  const proof = solve(await challenges.issue(subject, 10))
  assert.equal(await challenges.accept({ ...subject, login: 'other' }, proof), false)
  assert.equal(await challenges.accept({ ...subject, block: '198.51.100.0/24' }, proof), false)
  const easier = `${proof.challenge.slice(0, 12)}01${proof.challenge.slice(14)}`
  assert.equal(await challenges.accept(subject, solve({ challenge: easier, bits: 1 })), false)
  assert.equal(await challenges.accept(subject, { ...proof, nonce: proof.nonce + 1 }), false)
  assert.equal(await challenges.accept(subject, { ...proof, challenge: 'ff'.repeat(31) }), false)
  assert.equal(await challenges.accept(subject, proof), true)
  const late = solve(await challenges.issue(subject, 10))
  app.clock.advance(120_001)
  assert.equal(await challenges.accept(subject, late), false)
})
