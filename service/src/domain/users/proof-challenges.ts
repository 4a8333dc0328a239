import { isProof, type ProofChallenge, type ProofOfWork } from '@tessera/contract/proof-of-work'
import { hashChallenge } from '@tessera/vault/keyed-hashes'
import type { Keyring } from '@tessera/vault/keyring'
import { randomPublic } from '@tessera/vault/random'
import { timingSafeEqual } from 'node:crypto'

import type { Clock } from '../../clock.ts'

/**
 * Challenges of the proof of work that a sign-in costs while others wait. They are not stored: a challenge has its time, its bits and a MAC over these, the
 * login and the block of addresses it was issued for. Each is accepted once in a process, for two minutes.
 */
export interface ProofChallenges {
  issue(subject: ProofSubject, bits: number): Promise<ProofChallenge>
  /** Accepts a proof, once. */
  accept(subject: ProofSubject, proof: ProofOfWork): Promise<boolean>
}

export interface ProofSubject {
  readonly login: string
  readonly block: string
}

export interface ProofChallengeDependencies {
  readonly keyring: Keyring
  readonly clock: Pick<Clock, 'now'>
  readonly environment: string
}

// A challenge: time(6) bits(1) random(9) MAC(16).
export function makeProofChallenges({ keyring, clock, environment }: ProofChallengeDependencies): ProofChallenges {
  /** When each may be forgotten, in the order of acceptance. */
  const accepted = new Map<string, number>()
  return Object.freeze<ProofChallenges>({ issue, accept })

  async function issue(subject: ProofSubject, bits: number): Promise<ProofChallenge> {
    const head = Buffer.alloc(headBytes)
    head.writeUIntBE(clock.now(), 0, timeBytes)
    head.writeUInt8(bits, timeBytes)
    head.set(randomPublic(headBytes - timeBytes - 1), timeBytes + 1)
    return { challenge: Buffer.concat([head, await macOf(head, subject)]).toString('hex'), bits }
  }

  async function accept(subject: ProofSubject, { challenge, nonce }: ProofOfWork): Promise<boolean> {
    const bytes = Buffer.from(challenge, 'hex')
    if (bytes.length !== challengeBytes) return false
    const head = bytes.subarray(0, headBytes)
    const age = clock.now() - head.readUIntBE(0, timeBytes)
    if (age < 0 || age > lifetimeMs || accepted.has(challenge)) return false
    if (!isProof({ challenge, bits: head.readUInt8(timeBytes) }, nonce)) return false
    if (!timingSafeEqual(await macOf(head, subject), bytes.subarray(headBytes)) || accepted.has(challenge)) return false
    forgetOld()
    accepted.set(challenge, clock.now() + lifetimeMs)
    return true
  }

  async function macOf(head: Uint8Array, { login, block }: ProofSubject): Promise<Buffer> {
    const dek = await keyring.active('pepper')
    return Buffer.from(hashChallenge(dek, head, { environment, login, block }).subarray(0, challengeBytes - headBytes))
  }

  function forgetOld(): void {
    for (const [challenge, until] of accepted) {
      if (until > clock.now() && accepted.size < maxAccepted) return
      accepted.delete(challenge)
    }
  }
}

const timeBytes = 6
const headBytes = 16
const challengeBytes = 32
/** A slow phone needs some seconds. */
const lifetimeMs = 120_000
/** Above what can be solved and evaluated in two minutes. */
const maxAccepted = 100_000
