import { sealsUnder, type Dek, type KeyPurpose } from './dek.ts'

/** Whether a key has expired, by its age or by the number of seals under it in this process. `now` is unix milliseconds; null: not by its age. */
export function isEpochOver(dek: Dek, now: number | null): boolean {
  return (now !== null && now >= expiresAt(dek)) || sealsUnder(dek) >= sealsMax
}

/** When a key expires by age, unix milliseconds; infinity for permanent keys. */
export function expiresAt(key: { readonly purpose: KeyPurpose; readonly createdAt: number }): number {
  return key.createdAt + cryptoperiodMs[key.purpose]
}

/** When a key in use is due to be replaced, Unix milliseconds; null for keys that are out of use and those that never expire. */
export function dueAt(key: { readonly purpose: KeyPurpose; readonly state: string; readonly createdAt: number }): number | null {
  const at = expiresAt(key)
  return key.state === 'active' && Number.isFinite(at) ? at : null
}

/** Daily keys hash PANs, phones and codes, and are destroyed automatically (PCI DSS 3.5.1.1, 3.2.1). */
export function isDailyKey(purpose: KeyPurpose): boolean {
  return cryptoperiodMs[purpose] === dayMs
}

/**
 * Keys whose loss would make rows look forged, lock merchants out, leave webhooks unsigned, lose second factors and leave the audit without proof: they
 * are replaced, never destroyed.
 */
export function isPermanentKey(purpose: KeyPurpose): boolean {
  return permanentPurposes.has(purpose)
}

/** Keys that hash, some of them several times in a request. */
export function isHashKey(purpose: KeyPurpose): boolean {
  return hashPurposes.has(purpose)
}

const hashPurposes: ReadonlySet<KeyPurpose> = new Set(['otp', 'limits', 'phone', 'row_mac', 'pepper', 'idempotency', 'audit'])

const permanentPurposes: ReadonlySet<KeyPurpose> = new Set(['row_mac', 'pepper', 'webhook', 'dashboard', 'audit', 'audit_signing'])

export const dayMs = 24 * 60 * 60 * 1000

/** Cryptoperiods (NIST SP 800-57 part 1 §5.3, PCI DSS 3.7.4). */
const cryptoperiodMs: Readonly<Record<KeyPurpose, number>> = {
  card: 90 * dayMs,
  otp: dayMs,
  limits: dayMs,
  phone: 30 * dayMs,
  idempotency: 90 * dayMs,
  pepper: 730 * dayMs,
  webhook: 730 * dayMs,
  dashboard: 730 * dayMs,
  audit: 730 * dayMs,
  audit_signing: 730 * dayMs,
  row_mac: Number.POSITIVE_INFINITY,
}

/**
 * At most 2^31 encryptions under one key keep two equal random nonces less likely than 2^-32 (NIST SP 800-38D §8.3). A process can count
 * only its own since its start, so each takes 2^24: room for 128 runs, side by side or one after another, in a key's 90 days.
 */
const sealsMax = 2 ** 24
