import type { Keyring } from '@tessera/vault/keyring'
import { digestRequest, hashIdempotencyKey, hashIdentity, type KeyOwner } from '@tessera/vault/outcome'

import type { IdempotencyKey } from '../store/store.ts'

import { canonicalJson } from './canonical.ts'
import type { IdempotencyParts } from './parts.ts'

/** A call under an idempotency key. */
export interface KeyedCall {
  /** The header's value: 1 to 255 visible characters. */
  readonly key: string
  readonly caller: { readonly merchantId: string; readonly bucket: number; readonly as: 'server' | 'browser' | 'dashboard' }
  readonly profile: string
  readonly method: string
  readonly params: object
  /** ASCII, as it was lifted out of the params; null without one. */
  readonly cardNumber: Uint8Array | null
  /** 24 hex: tells this call from its twins. */
  readonly requestId: string
  /** Aborted when the service stops waiting. */
  readonly signal: AbortSignal
}

type Dek = Awaited<ReturnType<Keyring['active']>>

/** One call as the rows know it, under each data key that its row may be kept under. */
export interface Keyed {
  readonly owner: KeyOwner
  /** Of key and request; wiped when the call is answered. */
  readonly digest: Uint8Array
  /** The one to claim under first. */
  readonly places: readonly [KeyedPlace, ...KeyedPlace[]]
}

export interface KeyedPlace {
  readonly dek: Dek
  readonly key: IdempotencyKey
  readonly identity: Uint8Array
}

export async function keyCall({ keyring, clock, environment, figures }: IdempotencyParts, asked: KeyedCall): Promise<Keyed> {
  const { key, caller, profile, method, params, cardNumber } = asked
  const { bucket, merchantId } = caller
  // The dashboard's door takes no keys.
  const callerClass = caller.as === 'dashboard' ? 'server' : caller.as
  const owner = { environment, merchantId, callerClass }
  const [first, ...others] = await deksFor(keyring, clock.now(), figures.keptMs)
  const digest = digestRequest({ key, profile, method, params: canonicalJson(params), pan: withoutBlanks(cardNumber) })
  const placeUnder = (dek: Dek): KeyedPlace => ({
    dek,
    key: { bucket, merchantId, callerClass, keyHash: hashIdempotencyKey(dek, owner, key) },
    identity: hashIdentity(dek, owner, digest),
  })
  return { owner, digest, places: [placeUnder(first), ...others.map(placeUnder)] }
}

/**
 * The data key to claim under, then the others under which a row may still be. A new key is claimed under only when every process has learnt of
 * it; otherwise two twins in two processes would claim under two keys and never meet.
 */
async function deksFor(keyring: Keyring, now: number, keptMs: number): Promise<[Dek, ...Dek[]]> {
  const newest = await keyring.active('idempotency')
  const earlier = keyring
    .list()
    .filter(({ purpose, state, epoch }) => purpose === 'idempotency' && state !== 'destroyed' && epoch < newest.epoch)
    .sort((one, other) => other.epoch - one.epoch)
  const [before] = earlier
  const switchesAt = newest.createdAt + learntMs
  if (before === undefined || now >= switchesAt + keptMs) return [newest]
  const older = await keyring.byId(before.keyId)
  return now < switchesAt ? [older, newest] : [newest, older]
}

/** The card number is read without the blanks around it. */
function withoutBlanks(bytes: Uint8Array | null): Uint8Array | null {
  if (bytes === null) return null
  const from = bytes.findIndex((byte) => !blanks.has(byte))
  const to = bytes.findLastIndex((byte) => !blanks.has(byte))
  return bytes.subarray(Math.max(from, 0), to + 1)
}

const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
/** A process learns within a minute of a key that another one made. */
const learntMs = 120_000
