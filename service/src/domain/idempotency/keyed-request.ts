import type { Keyring } from '@tessera/vault/keyring'
import { digestRequest, hashIdempotencyKey, hashIdentity, type IdempotencyKeyOwner } from '@tessera/vault/outcome'

import type { IdempotencyKey } from '../../store/idempotency.ts'

import type { IdempotencyDependencies } from './dependencies.ts'

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** The header's value: 1 to 255 visible characters. */
  readonly key: string
  readonly caller: { readonly merchantId: string; readonly bucket: number; readonly as: 'server' | 'browser' | 'dashboard' }
  readonly profile: string
  readonly method: string
  readonly params: object
  /** ASCII, as the reader took it out of the params; null without one. */
  readonly cardNumber: Uint8Array | null
  /** 24 hex digits: tells this request from its duplicates. */
  readonly requestId: string
  /** Aborted when the service stops waiting. */
  readonly signal: AbortSignal
}

/** A request as its record knows it, under each data key that the record may be stored under. */
export interface RequestDigest {
  readonly owner: IdempotencyKeyOwner
  /** Of key and request; wiped when the request is answered. */
  readonly bytes: Uint8Array
  /** The one to claim under first. */
  readonly locations: readonly [RecordLocation, ...RecordLocation[]]
}

export interface RecordLocation {
  readonly dek: Dek
  readonly key: IdempotencyKey
  readonly identity: Uint8Array
}

type Dek = Awaited<ReturnType<Keyring['active']>>

export async function digestKeyedRequest(
  { keyring, clock, environment, settings }: IdempotencyDependencies,
  { key, caller, profile, method, params, cardNumber }: KeyedRequest,
): Promise<RequestDigest> {
  const { bucket, merchantId } = caller
  // The dashboard's endpoint takes no keys.
  const callerClass = caller.as === 'dashboard' ? 'server' : caller.as
  const owner = { environment, merchantId, callerClass }
  const [first, ...others] = await deksFor(keyring, clock.now(), settings.keptMs)
  const bytes = digestRequest({ key, profile, method, params: canonicalJson(params), pan: withoutBlanks(cardNumber) })
  const locationUnder = (dek: Dek): RecordLocation => ({
    dek,
    key: { bucket, merchantId, callerClass, keyHash: hashIdempotencyKey(dek, owner, key) },
    identity: hashIdentity(dek, owner, bytes),
  })
  return { owner, bytes, locations: [locationUnder(first), ...others.map(locationUnder)] }
}

/**
 * The data key to claim under, then the others under which a record may still be. A new key is claimed under only when every process has learnt
 * of it; otherwise two duplicates in two processes would claim under two keys and never meet.
 */
async function deksFor(keyring: Keyring, now: number, keptMs: number): Promise<[Dek, ...Dek[]]> {
  const newest = await keyring.active('idempotency')
  const earlier = keyring
    .list()
    .filter(({ purpose, state, epoch }) => purpose === 'idempotency' && state !== 'destroyed' && epoch < newest.epoch)
    .sort((one, other) => other.epoch - one.epoch)
  const [before] = earlier
  const switchesAt = newest.createdAt + keySpreadMs
  if (before === undefined || now >= switchesAt + keptMs) return [newest]
  const older = await keyring.byId(before.keyId)
  return now < switchesAt ? [older, newest] : [newest, older]
}

/**
 * One text for one JSON value, however it was written: members sorted, no blanks, numbers and strings in their shortest form (RFC 8785). The
 * reader has bounded the depth of the value.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** The card number is compared without the blanks around it. */
function withoutBlanks(bytes: Uint8Array | null): Uint8Array | null {
  if (bytes === null) return null
  const from = bytes.findIndex((byte) => !blanks.has(byte))
  const to = bytes.findLastIndex((byte) => !blanks.has(byte))
  return bytes.subarray(Math.max(from, 0), to + 1)
}

const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
/** A process learns within a minute of a key that another one made. */
const keySpreadMs = 120_000
