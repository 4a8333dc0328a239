import { createHash } from 'node:crypto'
import type { Expiry } from '@tessera/contract/card'
import type { ClockReading } from '../../clock.ts'
import type { AuditEntry } from '../audit.ts'
import type { CardRow } from '../cards.ts'
import type { Credential, MerchantRow } from '../merchants.ts'
import type { InboxRow } from '../sandbox.ts'
import type { SendClaim } from '../send-limits.ts'
import type { CodeAttempt, VerificationRow } from '../verifications.ts'

// Sample rows, distinguished by a number. The masks are of the sandbox's public cards.

export const sampleMerchantId = '5e730e8e0b852a417aa49ceb'
export const bucket = 0x7f3
export const keyId = 'f0'.repeat(16)

export function bytesOf(seed: string | number, length = 32): Uint8Array {
  return new Uint8Array(createHash('shake256', { outputLength: length }).update(String(seed)).digest())
}

/** Like a real id, it begins with the second of its creation. */
export function sampleCardId(number: number): string {
  return (T0 / 1000).toString(16) + '07f3' + number.toString(16).padStart(12, '0')
}

export function makeMerchant(over: Partial<MerchantRow> = {}): MerchantRow {
  return {
    id: sampleMerchantId,
    bucket,
    version: 1,
    state: 'active',
    name: 'A shop',
    organization: 'A shop LLC',
    address: 'Toshkent',
    settings: '{"origins":["https://shop.example"]}',
    credentials: [sampleCredential(1)],
    mac: bytesOf('mac of a merchant', 48),
    createdAt: T0,
    ...over,
  }
}

export function sampleCredential(number: number, over: Partial<Credential> = {}): Credential {
  return {
    number,
    hash: bytesOf(`password ${number}`),
    pepperKeyId: 'aa'.repeat(16),
    createdAt: T0,
    retiredAt: null,
    scope: 'full',
    label: '',
    ...over,
  }
}

export function makeCard(number: number, over: Partial<CardRow> = {}): CardRow {
  return {
    bucket,
    merchantId: sampleMerchantId,
    cardId: sampleCardId(number),
    tokenHash: bytesOf(`token ${number}`),
    maskedPan: '860006******6311',
    type: '22618',
    expiry: '0399' as Expiry,
    recurrent: true,
    verified: false,
    state: 'live',
    version: 1,
    keyId,
    blob: bytesOf(`blob ${number}`, 95),
    mac: bytesOf(`mac ${number} 1`, 48),
    customer: null,
    account: null,
    consent: null,
    createdAt: T0,
    verifiedAt: null,
    endsAt: T0 + 1_800_000,
    endedAt: null,
    ...over,
  }
}

/** The card's next version. */
export function nextVersion(card: CardRow, over: Partial<CardRow> = {}): CardRow {
  const version = card.version + 1
  return { ...card, version, mac: bytesOf(`mac ${card.cardId} ${version}`, 48), ...over }
}

export function shreddedVersion(card: CardRow): CardRow {
  return nextVersion(card, { state: 'removed', keyId: '', blob: new Uint8Array(0), endedAt: T0 + 1 })
}

export function makeAuditEntry(card: CardRow, action = 'card.changed', over: Partial<AuditEntry> = {}): AuditEntry {
  return {
    at: T0,
    actor: `merchant:${card.merchantId}`,
    action,
    merchantId: card.merchantId,
    subject: card.cardId,
    version: card.version,
    mac: card.mac,
    requestId: 'c'.repeat(24),
    outcome: 'done',
    ...over,
  }
}

/** An audit entry without a new version, such as for a wrong code. */
export function makeAuditEntryWithoutVersion(card: CardRow, action: string): AuditEntry {
  return makeAuditEntry(card, action, { version: 0, mac: new Uint8Array(0) })
}

export function sampleVerification(card: CardRow, name: string, at: ClockReading, over: Partial<VerificationRow> = {}): VerificationRow {
  return {
    bucket: card.bucket,
    merchantId: card.merchantId,
    cardId: card.cardId,
    attemptId: name,
    otpHash: bytesOf(`right ${name}`),
    otpKeyId: keyId,
    sentBy: 'us',
    phoneMask: '99890*****66',
    networkRef: null,
    outcome: 'sent',
    attempts: 0,
    requestedAt: at,
    open: true,
    mac: bytesOf(`verification ${name}`, 48),
    ...over,
  }
}

export function makeCodeAttempt(card: CardRow, name: string, at: ClockReading, over: Partial<CodeAttempt> = {}): CodeAttempt {
  const verifiedCard = nextVersion(card, { verified: true, verifiedAt: at.wallMs })
  const { otpHash, sentBy, mac } = sampleVerification(card, name, at)
  return {
    bucket: card.bucket,
    merchantId: card.merchantId,
    cardId: card.cardId,
    now: at,
    stored: { otpHash, sentBy, mac },
    maxAttempts: 5,
    otpLifetimeMs: 180_000,
    maxDriftMs: 2000,
    attemptId: name,
    otpHash: bytesOf('wrong'),
    dayCap: null,
    maxWrongCodesPerHour: null,
    stop: null,
    verifiedCard,
    auditIfRight: makeAuditEntry(verifiedCard, 'card.verified'),
    auditIfWrong: makeAuditEntryWithoutVersion(card, 'card.code_wrong'),
    ...over,
  }
}

/** The same for a code that the network sent. */
export function makeNetworkCodeAttempt(...input: Parameters<typeof makeCodeAttempt>): CodeAttempt {
  const attempt = makeCodeAttempt(...input)
  return { ...attempt, stored: { ...attempt.stored, sentBy: 'network' } }
}

/** A reading of both clocks, `ms` after the start of the test. */
export function clockAt(ms: number, over: Partial<ClockReading> = {}): ClockReading {
  return { wallMs: T0 + ms, monotonicMs: 5_000_000 + ms, bootId: 'boot-1', ...over }
}

export function makeClaim(at: number, windows: SendClaim['windows'], subject: string | number = 'phone'): SendClaim {
  return { keyId, scope: 'phone', subject: bytesOf(subject), at, windows }
}

export function makeSms(number: number, over: Partial<InboxRow> = {}): InboxRow {
  return {
    id: number.toString(16).padStart(24, '0'),
    at: T0 + number,
    merchantId: sampleMerchantId,
    phoneMask: '99890*****66',
    text: `SMS ${number}`,
    ...over,
  }
}

export const T0 = 1_700_000_000_000
