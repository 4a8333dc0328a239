import type { Keyring } from '@tessera/vault/keyring'
import { macKeyIdOf, makeRowAuthenticator, type AuthenticatedTable } from '@tessera/vault/rowmac'
import { resealBlob, SealBrokenError } from '@tessera/vault/seal'

import { hasAuditedAction } from '../../store/audit.ts'
import { cardsTable, type CardRow } from '../../store/cards.ts'
import { dashboardUsersTable } from '../../store/dashboard-users.ts'
import { listKnownAnswers } from '../../store/known-answers.ts'
import { merchantsTable } from '../../store/merchants.ts'
import { receiptsTable } from '../../store/receipts.ts'
import { sampleMacs, sampleRows } from '../../store/sampled-rows.ts'
import type { Store } from '../../store/store.ts'

import { KeyStoreMismatch } from './key-store-mismatch.ts'
import { describeWrongAnswers, findWrongAnswers } from './known-answers.ts'
import { lacksSigningMark, lostMark, auditActionOfSigning, auditSubjectOfSigning } from './sign-rows.ts'

export interface VerifyKeyStoreInput {
  readonly store: Pick<Store, 'read'>
  readonly keyring: Pick<Keyring, 'byId' | 'active' | 'list'>
  readonly environment: string
  /** Whether the database has the newest schema; in an older one only the ids of keys are compared. */
  readonly isCurrent: boolean
  /** Ends the verification. */
  readonly stopping?: AbortSignal | undefined
}

/** How much of the database the keys opened. */
export interface KeyStoreVerification {
  /** Known answers of keys. */
  readonly answers: number
  /** Rows with a valid MAC, and entries of the audit whose key is known. */
  readonly rows: number
}

/**
 * Verifies that the key store is the one with which the database was written: every known answer, and a sample of the stored rows. A single row that does
 * not verify is not taken for another key store: somebody changed it, and it is refused with an alarm when it is used. Throws `KeyStoreMismatch`, and the
 * reason of the signal.
 */
export async function verifyKeyStore(input: VerifyKeyStoreInput): Promise<KeyStoreVerification> {
  const { store, keyring, isCurrent } = input
  const answers = isCurrent ? await verifyAnswers(input) : 0
  const sample = emptySample()
  if (isCurrent) {
    await sampleTable(input, cardsTable, sample)
    await sampleTable(input, merchantsTable, sample)
    await sampleTable(input, receiptsTable, sample)
    await sampleTable(input, dashboardUsersTable, sample)
    await verifySeals(input)
  } else await sampleKeyIds(input, 'cards', sample)
  await sampleKeyIds(input, 'audit', sample)
  if (sample.valid === 0 && sample.foreign.size > 0)
    throw new KeyStoreMismatch(describeForeign(sample.foreign, keyring.list().length === 0))
  if (lacksSigningMark(keyring) && (await store.read(hasAuditedAction(auditSubjectOfSigning, auditActionOfSigning))))
    throw new KeyStoreMismatch(lostMark)
  return { answers, rows: sample.valid }
}

/** There may be many: between two pages signals are handled, and requests of the health endpoints. */
async function verifyAnswers({ store, keyring, environment, stopping }: VerifyKeyStoreInput): Promise<number> {
  let count = 0
  for (let after = ''; ;) {
    const page = await store.read(listKnownAnswers(after, answersPerPage))
    const wrong = await findWrongAnswers(page, keyring, environment)
    if (wrong.length > 0) throw new KeyStoreMismatch(describeWrongAnswers(wrong))
    count += page.length
    if (page.length < answersPerPage) return count
    after = page.at(-1)?.keyId ?? ''
    await new Promise((resolve) => void setImmediate(resolve))
    stopping?.throwIfAborted()
  }
}

interface RowSample {
  valid: number
  /** How many rows of each table have a MAC that is not of these keys. */
  readonly foreign: Map<string, number>
}

function emptySample(): RowSample {
  return { valid: 0, foreign: new Map() }
}

type SampledTable<Row> = Parameters<typeof sampleRows<Row>>[0] & AuthenticatedTable<Row>

async function sampleTable<Row extends { readonly mac: Uint8Array }>(
  { store, keyring, environment }: VerifyKeyStoreInput,
  table: SampledTable<Row>,
  sample: RowSample,
): Promise<void> {
  const mac = makeRowAuthenticator(keyring, environment, table)
  for (const order of ['first', 'last'] as const) {
    for (const row of await store.read(sampleRows(table, sampleSize, order))) {
      if (row.mac.length > 0) count(sample, table.name, await mac.hasValidMac(row))
    }
  }
}

/** Compares the ids of the keys only, which every version of the schema has. */
async function sampleKeyIds({ store, keyring }: VerifyKeyStoreInput, of: 'audit' | 'cards', sample: RowSample): Promise<void> {
  const known = new Set(keyring.list().map(({ keyId }) => keyId))
  for (const mac of await store.read(sampleMacs(of, sampleSize))) count(sample, of, known.has(macKeyIdOf(mac)))
}

function count(sample: RowSample, table: string, isValid: boolean): void {
  if (isValid) sample.valid += 1
  else sample.foreign.set(table, (sample.foreign.get(table) ?? 0) + 1)
}

/** The outer seal of each sampled card whose row is authentic opens under its key. */
async function verifySeals({ store, keyring, environment }: VerifyKeyStoreInput): Promise<void> {
  const mac = makeRowAuthenticator(keyring, environment, cardsTable)
  const keys = new Map(keyring.list().map((key) => [key.keyId, key]))
  for (const card of await store.read(sampleRows(cardsTable, sampleSize, 'last'))) {
    if (card.blob.length === 0 || !(await mac.hasValidMac(card))) continue
    const key = keys.get(card.keyId)
    if (key === undefined) throw new KeyStoreMismatch(`cards are sealed under the key ${card.keyId}, which the key store does not have`)
    if (key.state !== 'destroyed' && !(await isOpening(card, { keyring, environment })))
      throw new KeyStoreMismatch(`the seal of the card ${card.cardId} does not open under its key ${card.keyId}`)
  }
}

async function isOpening(card: CardRow, { keyring, environment }: Pick<VerifyKeyStoreInput, 'keyring' | 'environment'>): Promise<boolean> {
  const { merchantId, cardId, keyId, blob } = card
  try {
    const dek = await keyring.byId(keyId)
    resealBlob(blob, dek, dek, { environment, merchantId, cardId })
    return true
  } catch (err) {
    if (err instanceof SealBrokenError) return false
    throw err
  }
}

function describeForeign(foreign: ReadonlyMap<string, number>, isEmpty: boolean): string {
  const tables = [...foreign].map(([table, rows]) => `${rows} of ${table}`).join(', ')
  return isEmpty
    ? `the key store is empty, and the database has rows that were written with keys (sampled: ${tables})`
    : `no sampled row of the database was written with the keys of this key store (sampled: ${tables})`
}

const answersPerPage = 1000
const sampleSize = 5
