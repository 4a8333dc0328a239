import type { Pan } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import { KeyDestroyedError, type Dek, type Keyring } from '@tessera/vault/keyring'
import { hashStopSubject } from '@tessera/vault/keyed-hashes'

import type { CardRow } from '../../store/cards.ts'
import { findStopWait, type StopSubject, type WrongCodeStop } from '../../store/verification-stops.ts'

import type { VerificationDependencies } from './dependencies.ts'
import type { StopRule, VerificationPolicy } from './policy.ts'

/** Of whom wrong codes are counted. */
export interface StopOwner {
  readonly card: CardRow
  readonly pan: Pan
  /** What the phone counts under (`phoneReference`); null where only the network knows the phone, or it is not known yet. */
  readonly phone: string | null
}

/** When verification stops for a card, by its policy; null where the policy knows no stop. */
export async function stopOf(
  deps: VerificationDependencies,
  policy: VerificationPolicy,
  { card, pan, phone }: StopOwner,
): Promise<WrongCodeStop | null> {
  if (policy.stop === null) return null
  const { merchantId, customer } = card
  const { per, durationMs } = policy.stop
  const scope = scopeOf(deps, merchantId)
  const subjects: StopSubject[] = per.includes('phone') ? readPhone(phone) : []
  for (const dek of await limitKeys(deps, policy, policy.stop)) {
    if (per.includes('card')) subjects.push({ kind: 'card', keyId: dek.keyId, subject: hashStopSubject(dek, 'card', scope, pan) })
    if (per.includes('customer') && customer !== null)
      subjects.push({
        kind: 'customer',
        keyId: dek.keyId,
        subject: hashStopSubject(dek, 'customer', merchantId, Buffer.from(customer, 'utf8')),
      })
  }
  return { subjects, maxWrongCodes: policy.maxAttempts, durationMs }
}

/** What wrong codes of a phone are counted under, as text for the row of the attempt; null where phones are not stopped. */
export async function phoneReference(
  deps: VerificationDependencies,
  policy: VerificationPolicy,
  { merchantId, phone }: { readonly merchantId: string; readonly phone: string },
): Promise<string | null> {
  if (policy.stop?.per.includes('phone') !== true) return null
  const deks = await limitKeys(deps, policy, policy.stop)
  const value = Buffer.from(phone, 'latin1')
  return deks
    .map((dek) => `${dek.keyId}:${Buffer.from(hashStopSubject(dek, 'phone', scopeOf(deps, merchantId), value)).toString('hex')}`)
    .join(' ')
}

/** The subjects of a phone's reference. */
function readPhone(reference: string | null): StopSubject[] {
  if (reference === null) return []
  return reference.split(' ').map((each) => {
    const [keyId = '', hex = ''] = each.split(':')
    return { kind: 'phone' as const, keyId, subject: new Uint8Array(Buffer.from(hex, 'hex')) }
  })
}

/** Throws `verificationStopped` while a stop lasts. */
export async function requireNotStopped(
  deps: VerificationDependencies,
  stop: WrongCodeStop | null,
  of: { readonly merchantId: string; readonly cardId: string; readonly requestId: string },
): Promise<void> {
  const retryAfterMs = stop === null ? 0 : await findStop(deps, stop, of)
  if (retryAfterMs > 0) throw new RpcError('verificationStopped', { retryAfterMs })
}

async function findStop(
  { store, clock, begunStops, alarm }: VerificationDependencies,
  stop: WrongCodeStop,
  { merchantId, cardId, requestId }: { readonly merchantId: string; readonly cardId: string; readonly requestId: string },
): Promise<number> {
  const now = clock.now()
  const stored = Math.max(0, ...(await Promise.all(stop.subjects.map((subject) => store.read(findStopWait(subject, stop, now))))))
  if (stored > 0) return stored
  const remembered = begunStops.waitMs(stop.subjects, now)
  if (remembered > 0) alarm('row_tampered', { merchantId, cardId, requestId, table: 'day_tries' })
  return Math.min(remembered, stop.durationMs)
}

/** The keys of the day under which a count may be: for a while after the change of the key, the key before as well. */
async function limitKeys(
  { keyring, clock }: VerificationDependencies,
  { maxAttempts }: VerificationPolicy,
  { durationMs }: StopRule,
): Promise<Dek[]> {
  const active = await keyring.active('limits')
  // A count ends with its last wrong code, and a row of wrong codes has at most so many.
  if (clock.now() - active.createdAt >= maxAttempts * durationMs) return [active]
  const before = await keyBefore(keyring, active)
  return before === null ? [active] : [before, active]
}

async function keyBefore(keyring: Keyring, active: Dek): Promise<Dek | null> {
  const [newest] = keyring
    .list()
    .filter(({ purpose, state, keyId }) => purpose === 'limits' && state !== 'destroyed' && keyId !== active.keyId)
    .sort((a, b) => b.epoch - a.epoch)
  try {
    return newest === undefined ? null : await keyring.byId(newest.keyId)
  } catch (err) {
    if (err instanceof KeyDestroyedError) return null
    throw err
  }
}

/** In the test environment the test cards are shared, so each merchant has counts of its own. */
function scopeOf({ settings }: VerificationDependencies, merchantId: string): string {
  return settings.limits ? '' : merchantId
}
