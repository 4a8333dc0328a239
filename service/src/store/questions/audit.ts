import { bytes, integer, text } from '../column.ts'
import { makeStatement, places, sql } from '../statement.ts'
import type { Row, Value } from '../statement.ts'
import type { AuditEntry, AuditHead, AuditNote } from '../store.ts'
import { note } from '../unit.ts'
import type { Read, Unit } from '../unit.ts'

/** The columns of an audit entry, in the order of `entryValues`. */
export const entryColumns = [
  ...['chain', 'seq', 'hash', 'at', 'actor', 'action', 'merchant_id', 'subject', 'version', 'mac', 'request_id', 'outcome'],
] as const

const columns = entryColumns.join(', ')

/** Keeps an entry that has been linked; both stores ask it for the notes of their units. */
export const insertEntry = makeStatement(`insert into audit (${columns}) values (${places(entryColumns.length)})`)

export function entryValues(entry: AuditEntry): Value[] {
  return [
    ...[entry.chain, entry.seq, entry.hash, entry.at, entry.actor, entry.action, entry.merchantId, entry.subject],
    ...[entry.version, entry.mac, entry.requestId, entry.outcome],
  ]
}

/** Notes a deed by itself, without a change beside it. */
export function* appendAudit({ audit }: { readonly audit: AuditNote }): Unit<void> {
  yield* note(audit)
}

const selectHead = sql`select chain, seq, hash from audit where chain = $1 order by seq desc limit 1`

/** The last entry of one chain, as whoever goes on with it needs to know it. */
export function findAuditHead(chain: string): Read<AuditHead | null> {
  return { statement: selectHead, values: [chain], tell: ([row]) => (row === undefined ? null : tellHead(row)) }
}

// Steps from chain to chain by the index: grouping would read every entry there is.
const selectHeads = sql`
  with recursive chains (chain) as (
    select min(chain) from audit
    union all
    select (select min(audit.chain) from audit where audit.chain > chains.chain) from chains where chains.chain is not null)
  select audit.chain, audit.seq, audit.hash from chains
  join audit on audit.chain = chains.chain and audit.seq = (select max(newest.seq) from audit as newest where newest.chain = chains.chain)
  order by audit.chain`

export function findAuditHeads(): Read<AuditHead[]> {
  return { statement: selectHeads, values: [], tell: (found) => found.map(tellHead) }
}

const selectEntries = sql`select ${columns} from audit where chain = $1 and seq > $2 order by seq limit $3`

export function readAudit(chain: string, afterSeq: number, count: number): Read<AuditEntry[]> {
  return { statement: selectEntries, values: [chain, afterSeq, count], tell: (found) => found.map(tellEntry) }
}

const selectNewest = sql`select version, mac from audit where subject = $1 and version > 0 order by version desc limit 1`

/** The newest version and row MAC that the audit tells of a card, receipt or merchant, over all chains. */
export function newestAuditOf(subject: string): Read<{ version: number; mac: Uint8Array } | null> {
  return {
    statement: selectNewest,
    values: [subject],
    tell: ([row]) => (row === undefined ? null : { version: integer(row, 'version'), mac: bytes(row, 'mac') }),
  }
}

function tellHead(row: Row): AuditHead {
  return { chain: text(row, 'chain'), seq: integer(row, 'seq'), hash: bytes(row, 'hash') }
}

export function tellEntry(row: Row): AuditEntry {
  return {
    ...tellHead(row),
    at: integer(row, 'at'),
    actor: text(row, 'actor'),
    action: text(row, 'action'),
    merchantId: text(row, 'merchant_id'),
    subject: text(row, 'subject'),
    version: integer(row, 'version'),
    mac: bytes(row, 'mac'),
    requestId: text(row, 'request_id'),
    outcome: text(row, 'outcome'),
  }
}
