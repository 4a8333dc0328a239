import { signPasskeyChallenge } from '@tessera/vault/keyed-hashes'
import { randomSecret } from '@tessera/vault/random'
import { timingSafeEqual } from 'node:crypto'

import type { DashboardServices } from './dependencies.ts'
import { challengeLifetimeMs } from './used-challenges.ts'

export type ChallengePurpose = 'sign_in' | 'second_factor' | 'confirm' | 'register'

/**
 * Issues a challenge for one purpose and one session or user. It says when it was issued and bears a MAC, so that a flood of sign-ins stores nothing: 16
 * random bytes, 8 of the time, 16 of the key's id, 32 of the MAC. That none is accepted twice is decided by the passkey's row.
 */
export async function issueChallenge({ keyring, clock }: DashboardServices, purpose: ChallengePurpose, subject: string): Promise<string> {
  const dek = await keyring.active('pepper')
  const time = Buffer.alloc(timeBytes)
  time.writeBigUInt64BE(BigInt(clock.now()))
  const unsigned = Buffer.concat([randomSecret(randomBytes), time, Buffer.from(dek.keyId, 'hex')])
  return Buffer.concat([unsigned, signPasskeyChallenge(dek, purpose, subject, unsigned)]).toString('base64url')
}

/** When a challenge was issued; null when it is not ours, for another purpose or subject, or older than five minutes. */
export async function readChallenge(
  { keyring, clock }: DashboardServices,
  challenge: string,
  purpose: ChallengePurpose,
  subject: string,
): Promise<number | null> {
  const bytes = Buffer.from(challenge, 'base64url')
  if (bytes.length !== unsignedBytes + macBytes) return null
  const unsigned = bytes.subarray(0, unsignedBytes)
  const dek = await Promise.resolve(keyring.byId(unsigned.toString('hex', randomBytes + timeBytes))).catch(() => null)
  if (dek?.purpose !== 'pepper') return null
  if (!timingSafeEqual(signPasskeyChallenge(dek, purpose, subject, unsigned), bytes.subarray(unsignedBytes))) return null
  const issuedAt = Number(unsigned.readBigUInt64BE(randomBytes))
  const age = clock.now() - issuedAt
  return age >= 0 && age < challengeLifetimeMs ? issuedAt : null
}

const randomBytes = 16
const timeBytes = 8
const unsignedBytes = randomBytes + timeBytes + 16
const macBytes = 32
