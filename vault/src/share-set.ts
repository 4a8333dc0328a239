import { createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto'

import { makeAesKek } from './aes-kek.ts'
import { keyedHash } from './fields.ts'
import type { Kek } from './kek.ts'
import { randomPublic, randomSecret } from './random.ts'
import { combineShares, splitSecret, type SecretShare } from './shamir.ts'
import { formatSetId, type CustodianShare } from './share-text.ts'

/** A set of shares of one KEK, as it is stored: nothing of the KEK but what it answers. */
export interface ShareSet {
  readonly setId: string
  readonly threshold: number
  readonly shares: number
  /** Unix milliseconds. */
  readonly createdAt: number
  /** HMAC-SHA256 under the KEK over the set and its environment: proves that the shares that were entered are those of the set. */
  readonly knownAnswer: Uint8Array
}

/** The id of the KEK of a set. */
export function shareKekId(setId: string): string {
  return `shares-${setId}`
}

/** Generates a KEK and splits it. The KEK is wiped; the caller wipes the shares. */
export function createShareSet(
  size: Pick<ShareSet, 'threshold' | 'shares'>,
  { environment, now }: { readonly environment: string; readonly now: number },
): { readonly set: ShareSet; readonly shares: CustodianShare[] } {
  const raw = randomSecret(kekBytes)
  try {
    const named = { ...size, setId: formatSetId(randomPublic(5)), createdAt: now }
    const shares = splitSecret(raw, size).map((share) => ({ ...share, setId: named.setId, threshold: size.threshold }))
    return { set: { ...named, knownAnswer: answerOf(createSecretKey(raw), named, environment) }, shares }
  } finally {
    raw.fill(0)
  }
}

/** A KEK in this process's memory, and its key for handing it over to another node. */
export interface ShareKek {
  readonly kek: Kek
  readonly key: KeyObject
}

/** The KEK of as many shares as the threshold of the set; null when they are not those of the set. Which of them is wrong cannot be known. */
export function openShareSet(set: ShareSet, environment: string, shares: readonly SecretShare[]): ShareKek | null {
  if (shares.length !== set.threshold) return null
  const raw = combineShares(shares)
  try {
    return adoptShareKek(set, environment, raw)
  } finally {
    raw.fill(0)
  }
}

/** The same for the bytes of the KEK itself, which the caller wipes. */
export function adoptShareKek(set: ShareSet, environment: string, raw: Uint8Array): ShareKek | null {
  const key = createSecretKey(raw)
  const answer = answerOf(key, set, environment)
  if (raw.length !== kekBytes || answer.length !== set.knownAnswer.length || !timingSafeEqual(answer, set.knownAnswer)) return null
  return { key, kek: makeAesKek({ id: shareKekId(set.setId), kind: 'shares', key, name: `the KEK of the shares ${set.setId}` }) }
}

function answerOf(key: KeyObject, { setId, threshold, shares, createdAt }: Omit<ShareSet, 'knownAnswer'>, environment: string): Uint8Array {
  return Uint8Array.from(keyedHash(key, 'tessera shares known answer', [environment, setId, threshold, shares, createdAt]))
}

const kekBytes = 32
