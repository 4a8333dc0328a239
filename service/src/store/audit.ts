import { currentAuditAction, currentAuditOutcome } from '@tessera/contract/audit'

import { RowBroken, text, bigint, timestamp, bytes, readText, readInteger, readBytes } from './columns.ts'
import { table, type RowOf } from './table.ts'
import { makeStatement, placeholders, type Row, sql, type Value } from './statement.ts'
import { type Read, type AuditEntry, type TimeCursor, type Transaction, writeAudit } from './transaction.ts'

// prettier-ignore
export const auditTable = table('audit', {
  chain:      text().key(),
  seq:        bigint().key(),
  hash:       bytes(),
  at:         timestamp(),
  actor:      text(),             // `merchant:<id>`, `user:<id>`, `operator`, `system`
  action:     text(),
  merchantId: text(),
  subject:    text(),             // id of the card, key or other object
  version:    bigint(),           // version and row MAC of the row after the action; 0 and empty without a row
  mac:        bytes(),
  requestId:  text(),             // as in our log
  outcome:    text(),             // a code: contract/src/audit.ts
  keyId:      text(),             // the audit key of the link; '' for entries from before the chain was keyed
  address:    text(),             // the caller's; '' for background jobs, operators and entries from before
  changes:    text(),             // what changed from what to what: audit-changes.ts
}, 'each entry is linked to the one before it by its hash')

/** A stored entry, as a link of its chain. */
export type AuditRow = RowOf<typeof auditTable>

export type { AuditEntry } from './transaction.ts'
export { decodeAuditChanges, type AuditChange } from './audit-changes.ts'

export interface AuditHead {
  readonly chain: string
  readonly seq: number
  readonly hash: Uint8Array
}

/** An audit entry about an SMS code: dispatched, attempted, or verified. */
export interface CodeEvent {
  readonly at: number
  readonly action: 'code.dispatched' | 'code.attempted' | 'card.verified'
  readonly outcome: string
  readonly requestId: string
  readonly seq: number
  readonly cardId: string
}

export interface CodeEventQuery {
  readonly merchantId: string
  readonly after: CodeEventCursor | null
  /** From this time on, Unix milliseconds, to before that one. */
  readonly from: number
  readonly to: number
  readonly count: number
}

export type CodeEventCursor = Pick<CodeEvent, 'at' | 'requestId' | 'seq'>

export interface UserActionQuery {
  readonly merchantId: string
  /** `id` is the hash of the entry, hex. */
  readonly after: TimeCursor | null
  readonly count: number
}

/** Writes an audit entry that belongs to no row, such as one about a key. */
export function* insertAuditEntry({ audit }: { readonly audit: AuditEntry }): Transaction<void> {
  yield* writeAudit(audit)
}

const selectHead = sql`select chain, seq, hash from audit where chain = $1 order by seq desc limit 1`

/** The last entry of a chain, to which the next one is linked. */
export function findAuditHead(chain: string): Read<AuditHead | null> {
  return { statement: selectHead, values: [chain], map: ([row]) => (row === undefined ? null : toHead(row)) }
}

/** What reads run on: a store, or a database as it is found. */
export interface AuditReader {
  read<T>(query: Read<T>): Promise<T>
}

/** One statement steps through so many chains. Four writers have one each, so one statement is enough for a few processes. */
const headsPageSize = 16

// Each step reads the last entry of the last chain before that of the step before, by the index of the primary key; grouping would read every entry. Not a
// recursive CTE, which Citus refuses for a table that is distributed by chain.
const selectHeads = makeStatement(
  `with ${Array.from({ length: headsPageSize }, (_, at) => headStep(at)).join(', ')}
  ${Array.from({ length: headsPageSize }, (_, at) => `select chain, seq, hash, at from head_${at}`).join(' union all ')}`,
)

function headStep(at: number): string {
  const before = at === 0 ? '$1' : `(select chain from head_${at - 1})`
  return `head_${at} as materialized (select chain, seq, hash, at from audit where chain < ${before} order by chain desc, seq desc limit 1)`
}

interface DatedHead extends AuditHead {
  readonly at: number
}

function listHeadsBefore(chain: string): Read<DatedHead[]> {
  return {
    statement: selectHeads,
    values: [chain],
    map: (rows) => rows.map((row) => ({ ...toHead(row), at: readInteger(row, 'at') })).sort((one, other) => compareBytes(other, one)),
  }
}

/** By the bytes of the name, as both databases order it: `union all` promises no order. */
function compareBytes(one: AuditHead, other: AuditHead): number {
  return Buffer.compare(Buffer.from(one.chain), Buffer.from(other.chain))
}

async function readHeads(store: AuditReader): Promise<DatedHead[]> {
  const heads: DatedHead[] = []
  for (let before = afterEveryChain; ;) {
    const page = await store.read(listHeadsBefore(before))
    heads.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < headsPageSize) return heads.reverse()
    before = last.chain
  }
}

/** The greatest character of Unicode, which is last in both databases. */
const afterEveryChain = '\u{10ffff}'

/** The last entry of every chain, by chain. They are read one after the other while others write, so each is as it was at a moment of this call. */
export async function listAuditHeads(store: AuditReader): Promise<AuditHead[]> {
  return (await readHeads(store)).map(({ chain, seq, hash }) => ({ chain, seq, hash }))
}

/** The latest time of the last entries of all chains, unix milliseconds; null without entries. */
export async function findNewestEntryTime(store: AuditReader): Promise<number | null> {
  const heads = await readHeads(store)
  return heads.length === 0 ? null : heads.reduce((newest, { at }) => Math.max(newest, at), -Infinity)
}

/** The earliest time of the first entries of all chains, unix milliseconds; null without entries. */
export async function findOldestEntryTime(store: AuditReader): Promise<number | null> {
  let oldest: number | null = null
  for (const { chain } of await listAuditHeads(store)) {
    const [first] = await store.read(listAuditEntries(chain, 0, 1))
    if (first !== undefined) oldest = Math.min(oldest ?? first.at, first.at)
  }
  return oldest
}

const selectEntries = sql`select ${auditTable.columns} from audit where chain = $1 and seq > $2 order by seq limit $3`

export function listAuditEntries(chain: string, afterSeq: number, count: number): Read<AuditRow[]> {
  return { statement: selectEntries, values: [chain, afterSeq, count], map: (rows) => rows.map(auditTable.fromRow) }
}

/** An entry of which a column cannot be read. */
export interface BrokenAuditRow {
  readonly seq: number
  /** Empty when it cannot be read either. */
  readonly hash: Uint8Array
  readonly brokenAt: string
}

/** The same, whatever the entries hold. */
export function listStoredEntries(chain: string, afterSeq: number, count: number): Read<(AuditRow | BrokenAuditRow)[]> {
  return { statement: selectEntries, values: [chain, afterSeq, count], map: (rows) => rows.map(readStored) }
}

function readStored(row: Row): AuditRow | BrokenAuditRow {
  try {
    return auditTable.fromRow(row)
  } catch (err) {
    if (!(err instanceof RowBroken)) throw err
    const { hash, seq } = row
    return { seq: Number(seq), hash: hash instanceof Uint8Array ? hash : new Uint8Array(0), brokenAt: err.column }
  }
}

// The entry before each, by the index of the primary key.
const selectGaps = sql`
  select chain, seq, before from (select chain, seq, lag(seq, 1, 0) over (partition by chain order by seq) as before from audit) as entries
  where seq <> before + 1 order by chain, seq limit 100`

/** Missing entries in front of an entry. */
export interface AuditGap {
  readonly chain: string
  /** The last entry before them; 0 when the first is missing. */
  readonly afterSeq: number
  /** The first entry behind them. */
  readonly seq: number
}

/** Where entries are missing in the chains, at most a hundred. Reads the keys of all entries. What is missing at an end is not seen. */
export function listAuditGaps(): Read<AuditGap[]> {
  return { statement: selectGaps, values: [], map: (rows) => rows.map(toGap) }
}

export function describeGap({ chain, afterSeq, seq }: AuditGap): string {
  const missing = seq - afterSeq === 2 ? `entry ${String(afterSeq + 1)}` : `the entries ${String(afterSeq + 1)} to ${String(seq - 1)}`
  return `the audit chain ${chain} lacks ${missing}`
}

function toGap(row: Row): AuditGap {
  return { chain: readText(row, 'chain'), afterSeq: readInteger(row, 'before'), seq: readInteger(row, 'seq') }
}

const selectEntry = sql`select ${auditTable.columns} from audit where chain = $1 and seq = $2`

export function findAuditEntry(chain: string, seq: number): Read<AuditRow | null> {
  return { statement: selectEntry, values: [chain, seq], map: ([row]) => (row === undefined ? null : auditTable.fromRow(row)) }
}

/** At most so many positions in one query: those of a page of a hundred entries, and of the entries before them. */
export const auditPositionsMax = 200

const selectEntriesAt = sql`select ${auditTable.columns} from audit where chain = $1 and seq in (${placeholders(auditPositionsMax, 2)})`

/** The entries at some positions of a chain, by position; those that are missing are not in it. */
export function findAuditEntriesAt(chain: string, seqs: readonly number[]): Read<Map<number, AuditRow>> {
  return {
    statement: selectEntriesAt,
    // No entry is at 0.
    values: [chain, ...Array.from({ length: auditPositionsMax }, (_, at) => seqs[at] ?? 0)],
    map: (rows) => new Map(rows.map(auditTable.fromRow).map((row) => [row.seq, row])),
  }
}

// An entry without a key was not written by this version, so it cannot be the boundary.
const selectBoundaries = sql`
  select ${auditTable.columns} from audit where subject = 'audit' and version = 0 and action = 'audit.chain_keyed' and key_id <> '' order by at limit 100`

/** Entries that say where the chains began to be keyed: one that the service wrote, and any that somebody inserted. */
export function listChainBoundaries(): Read<AuditRow[]> {
  return { statement: selectBoundaries, values: [], map: (rows) => rows.map(auditTable.fromRow) }
}

const selectNewest = sql`select version, mac from audit where subject = $1 and version > 0 order by version desc limit 1`

/** The newest version and row MAC of a card, receipt or merchant in all chains. */
export function findNewestAudited(subject: string): Read<{ version: number; mac: Uint8Array } | null> {
  return {
    statement: selectNewest,
    values: [subject],
    map: ([row]) => (row === undefined ? null : { version: readInteger(row, 'version'), mac: readBytes(row, 'mac') }),
  }
}

/** At most so many subjects in one query. */
export const auditedSubjectsMax = 100

const selectNewestOf = sql`
  select subject, version, mac from audit where version > 0 and subject in (${placeholders(auditedSubjectsMax)}) order by subject, version`

/** The same of several objects, by subject; those without an entry are missing. */
export function listNewestAudited(subjects: readonly string[]): Read<Map<string, { version: number; mac: Uint8Array }>> {
  return {
    statement: selectNewestOf,
    values: Array.from({ length: auditedSubjectsMax }, (_, at) => subjects[at] ?? ''),
    map: (rows) =>
      new Map(rows.map((row) => [readText(row, 'subject'), { version: readInteger(row, 'version'), mac: readBytes(row, 'mac') }])),
  }
}

function toHead(row: Row): AuditHead {
  return { chain: readText(row, 'chain'), seq: readInteger(row, 'seq'), hash: readBytes(row, 'hash') }
}

// The condition of the index `audit_people`, so that it is used.
const selectUserActions = sql`
  select ${auditTable.columns} from audit
  where merchant_id = $1 and substr(actor, 1, 8) <> 'merchant' and actor <> 'system' and (at, hash) < ($2, $3)
  order by at desc, hash desc limit $4`

/** Actions of users and operators for a merchant, newest first by (at, hash), after the cursor; without API calls and the service's own actions. */
export function listUserActions({ merchantId, after, count }: UserActionQuery): Read<AuditRow[]> {
  const values = [merchantId, after?.at ?? Number.MAX_SAFE_INTEGER, Uint8Array.from(Buffer.from(after?.id ?? '', 'hex')), count]
  return { statement: selectUserActions, values, map: (rows) => rows.map(readForDisplay) }
}

const selectAudit = sql`
  select ${auditTable.columns} from audit where subject = $1 and merchant_id = $2 order by version desc, at desc limit $3`

/** The entries of one subject in all chains, newest versions first. */
export function listAuditOfSubject(merchantId: string, subject: string, count: number): Read<AuditRow[]> {
  return { statement: selectAudit, values: [subject, merchantId, count], map: (rows) => rows.map(readForDisplay) }
}

/** An entry with the present names of its action and outcome. Its hash no longer verifies: `listAuditEntries` returns entries as they are stored. */
function readForDisplay(row: Row): AuditRow {
  const entry = auditTable.fromRow(row)
  const action = currentAuditAction(entry.action)
  return { ...entry, action, outcome: currentAuditOutcome(action, entry.outcome) }
}

const selectAction = sql`select 1 as one from audit where subject = $1 and merchant_id = '' and action = $2 limit 1`

/** Whether an action without a merchant is audited. */
export function hasAuditedAction(subject: string, action: string): Read<boolean> {
  return { statement: selectAction, values: [subject, action], map: (rows) => rows.length > 0 }
}

const selectLastAction = sql`select at from audit where subject = $1 and version = 0 and action = $2 order by at desc limit 1`

/** When an action on a subject without a version was last audited, Unix milliseconds; null when it never was. */
export function findLastAction(subject: string, action: string): Read<number | null> {
  return { statement: selectLastAction, values: [subject, action], map: ([row]) => (row === undefined ? null : readInteger(row, 'at')) }
}

const codeActions = ['code.dispatched', 'code.attempted', 'card.verified'] as const

// The condition of the partial index, so that it is used.
const selectEvents = sql`
  select at, action, outcome, request_id, seq, subject from audit
  where merchant_id = $1 and action in ('code.dispatched', 'code.attempted', 'code.settled', 'code.tried', 'card.verified')
    and (at, request_id, seq) < ($2, $3, $4) and at >= $6
  order by at desc, request_id desc, seq desc limit $5`

/** At most so many cards in one query. */
export const codeEventCardsMax = 50

// Not the condition of the partial index: the entries of these cards are few and are found by their subject, whereas those of the merchant are all of its codes.
const behind = codeEventCardsMax
const selectEventsOfCards = sql`
  select at, action, outcome, request_id, seq, subject from audit
  where subject in (${placeholders(codeEventCardsMax)}) and merchant_id = $${behind + 1}
    and action || '' in ('code.dispatched', 'code.attempted', 'code.settled', 'code.tried', 'card.verified')
    and (at, request_id, seq) < ($${behind + 2}, $${behind + 3}, $${behind + 4}) and at >= $${behind + 6}
  order by at desc, request_id desc, seq desc limit $${behind + 5}`

function readCodeAction(row: Row): CodeEvent['action'] {
  const stored = currentAuditAction(readText(row, 'action'))
  const action = codeActions.find((each) => each === stored)
  if (action === undefined) throw new RowBroken('action')
  return action
}

/** The events of a merchant's SMS codes, newest first, after the cursor. */
export function listCodeEvents(query: CodeEventQuery): Read<CodeEvent[]> {
  return { statement: selectEvents, values: codeEventValues(query), map: (rows) => rows.map(toCodeEvent) }
}

/** Those of some cards, at most `codeEventCardsMax`. */
export function listCodeEventsOfCards(query: CodeEventQuery, cardIds: readonly string[]): Read<CodeEvent[]> {
  const subjects = Array.from({ length: codeEventCardsMax }, (_, at) => cardIds[at] ?? '')
  return { statement: selectEventsOfCards, values: [...subjects, ...codeEventValues(query)], map: (rows) => rows.map(toCodeEvent) }
}

function codeEventValues({ merchantId, after, from, to, count }: CodeEventQuery): Value[] {
  const { at, requestId, seq } = after ?? { at: to, requestId: '', seq: 0 }
  return [merchantId, at, requestId, seq, count, from]
}

function toCodeEvent(row: Row): CodeEvent {
  return {
    at: readInteger(row, 'at'),
    action: readCodeAction(row),
    outcome: readText(row, 'outcome'),
    requestId: readText(row, 'request_id'),
    seq: readInteger(row, 'seq'),
    cardId: readText(row, 'subject'),
  }
}

const selectSentCodes = sql`
  select distinct subject from audit
  where subject in (${placeholders(auditedSubjectsMax)}) and action in ('code.dispatched', 'code.settled') and outcome in ('sent', 'unknown')`

/** Those of the cards, `auditedSubjectsMax` at most, to whose holder a code was sent, as far as is known. */
export function listCardsWithSentCode(cardIds: readonly string[]): Read<string[]> {
  return {
    statement: selectSentCodes,
    values: Array.from({ length: auditedSubjectsMax }, (_, at) => cardIds[at] ?? ''),
    map: (rows) => rows.map((row) => readText(row, 'subject')),
  }
}
