import type { Keyring } from '@tessera/vault/keyring'
import { digestRequest, hashIdempotencyKey, hashIdentity, type IdempotencyKeyOwner } from '@tessera/vault/outcome'

import type { IdempotencyKey } from '../../store/idempotency.ts'

import type { IdempotencyDependencies } from './dependencies.ts'

/** A request with an idempotency key. */
export interface KeyedRequest {
  /** The header's value: 1 to 255 visible characters. */
  readonly key: string
  readonly caller: { readonly merchantId: string; readonly bucket: number; readonly kind: 'server' | 'browser' | 'dashboard' | 'operator' }
  readonly profile: string
  readonly method: string
  readonly params: object
  /** ASCII bytes extracted from the params; null without a card number. */
  readonly cardNumber: Uint8Array | null
  /** 24 hex digits; distinguishes this request from its duplicates. */
  readonly requestId: string
  /** Aborted when the service stops waiting. */
  readonly signal: AbortSignal
}

/** The digest of a request, and where its record may be stored, under each possible data key. */
export interface RequestDigest {
  readonly owner: IdempotencyKeyOwner
  /** Digest of key and request. Wiped when the request is done. */
  readonly bytes: Uint8Array
  /** The first one is for a new claim. */
  readonly locations: readonly [RecordLocation, ...RecordLocation[]]
}

export interface RecordLocation {
  readonly dek: Dek
  readonly key: IdempotencyKey
  readonly identity: Uint8Array
}

type Dek = Awaited<ReturnType<Keyring['active']>>

export async function digestKeyedRequest(
  { keyring, clock, clockGuard, environment, settings }: IdempotencyDependencies,
  { key, caller, profile, method, params, cardNumber }: KeyedRequest,
): Promise<RequestDigest> {
  const { bucket, merchantId } = caller
  // The dashboard's endpoint accepts no keys.
  const callerClass = caller.kind === 'browser' ? 'browser' : 'server'
  const owner = { environment, merchantId, callerClass }
  const now = clock.now()
  const [first, ...others] = await findDeks(keyring, now, clockGuard.isTrusted() ? settings.retentionMs : Infinity)
  const bytes = digestRequest({ key, profile, method, params: canonicalJson(params), pan: trimBlanks(cardNumber) })
  const locationUnder = (dek: Dek): RecordLocation => ({
    dek,
    key: { bucket, merchantId, callerClass, keyHash: hashIdempotencyKey(dek, owner, key) },
    identity: hashIdentity(dek, owner, bytes),
  })
  return { owner, bytes, locations: [locationUnder(first), ...others.map(locationUnder)] }
}

/**
 * The data key for new claims, then the others under which a record may still be stored. A new data key is used only after every process has loaded it:
 * two duplicates in two processes must not claim under different keys.
 */
async function findDeks(keyring: Keyring, now: number, retentionMs: number): Promise<[Dek, ...Dek[]]> {
  const newest = await keyring.active('idempotency')
  const older = keyring.previousOf(newest)
  const switchesAt = newest.createdAt + keyPropagationMs
  if (older === null || now >= switchesAt + retentionMs) return [newest]
  return now < switchesAt ? [older, newest] : [newest, older]
}

/**
 * The canonical text of a JSON value: members sorted, no whitespace, numbers and strings in their shortest form (RFC 8785). The reader has bounded the
 * depth of the value.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}

/** The card number is compared without surrounding whitespace. */
function trimBlanks(bytes: Uint8Array | null): Uint8Array | null {
  if (bytes === null) return null
  const from = bytes.findIndex((byte) => !blanks.has(byte))
  const to = bytes.findLastIndex((byte) => !blanks.has(byte))
  return bytes.subarray(Math.max(from, 0), to + 1)
}

const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])
/** A process loads a key of another process within a minute. */
const keyPropagationMs = 120_000
