import { tokenOf, type CallOutcome } from './api-client.ts'
import type { DashboardReply } from './dashboard-client.ts'
import { resultOf, type WriterTarget } from './database-writer-target.ts'
import { panWithNetworkOtp, testOtp } from './load.ts'
import { selectOne, type StoredColumns, type StoredValue } from './second-connection.ts'

/** One thing that somebody does who writes the database, and what has to come of it. */
export interface WriterCase {
  readonly table: string
  readonly action: 'change' | 'insert' | 'exchange' | 'delete' | 'put back' | 'reset'
  /** What is written. */
  readonly what: string
  /** `refused` is with an alarm in the metrics, the log and the audit; `missing`: as if the row were not there. */
  readonly outcome: 'refused' | 'missing' | 'accepted'
  /** The command that finds it later, where it is not refused. Absent: none does yet. */
  readonly foundBy?: 'audit verify'
  /** A control: without the comparison of MACs, or of versions with the audit, it is accepted. */
  readonly isHeldBy?: 'mac' | 'version'
  arrange(target: WriterTarget): Promise<CaseTarget>
}

/** Rows that the service has written for a case. */
export interface CaseTarget {
  /** By which `foundBy` names the row. */
  readonly id?: string
  write(): Promise<void>
  /** Lets the service use the row. */
  use(): Promise<UseResult>
  /** Puts right what the next cases need. */
  undo?(): Promise<void>
}

export interface UseResult {
  readonly isAccepted: boolean
  readonly isMissing?: boolean
  readonly reply: string
}

export async function newCard({ api }: WriterTarget, pan = panWithNetworkOtp): Promise<{ token: string; key: StoredColumns }> {
  const token = tokenOf(resultOf(await api.create(pan)))
  return { token, key: { card_id: token.slice(0, 24) } }
}

export async function newVerifiedCard(target: WriterTarget, pan = panWithNetworkOtp): Promise<{ token: string; key: StoredColumns }> {
  const card = await newCard(target, pan)
  resultOf(await target.api.requestCode(card.token))
  resultOf(await target.api.verify(card.token, testOtp))
  return card
}

export interface StoredReceipt {
  readonly id: string
  readonly key: StoredColumns
}

export async function newUnpaidReceipt({ api }: WriterTarget, params: object = {}): Promise<StoredReceipt> {
  const { receipt } = resultOf(await api.call('receipts.create', { amount: 500_000, ...params }))
  const id = String((receipt as { _id: unknown })._id)
  return { id, key: { receipt_id: id } }
}

export async function newMerchant({ tessera }: WriterTarget): Promise<{ id: string; password: string; key: StoredColumns }> {
  const { merchantId, password } = await tessera(['merchants', 'create', '--name=Another shop'])
  return { id: String(merchantId), password: String(password), key: { id: String(merchantId) } }
}

export async function signedIn(target: WriterTarget) {
  const session = await target.signIn()
  if (session === null) throw new Error('the demo user is not signed in')
  const key = { session_id: session.sessionId }
  const { user_id: userId = '' } = await selectOne(target.db, 'dashboard_sessions', key)
  return { session, key, userKey: { user_id: userId } }
}

export function judge(outcome: CallOutcome): UseResult {
  if (outcome.kind === 'result') return { isAccepted: true, reply: 'a result' }
  if (outcome.kind === 'lost') return { isAccepted: false, isMissing: true, reply: `no reply: ${outcome.why}` }
  return { isAccepted: false, isMissing: missingReasons.has(outcome.reason), reply: outcome.reason }
}

/** A reason that is only reached with a valid session counts as accepted. */
export function judgeDashboard(reply: DashboardReply, accepted = ''): UseResult {
  if ('result' in reply) return { isAccepted: true, reply: 'a result' }
  return { isAccepted: reply.reason === accepted, reply: reply.reason }
}

export function judgeSignIn(session: object | null): UseResult {
  return session === null ? { isAccepted: false, reply: 'sign_in_refused' } : { isAccepted: true, reply: 'signed in' }
}

/** The reply is the same as without the row. */
export function missingIfRefused(result: UseResult): UseResult {
  return result.isAccepted ? result : { ...result, isMissing: true }
}

export function idOf(key: StoredColumns): string {
  return String(Object.values(key)[0])
}

export function nameOfKey({ key_hash: hash }: StoredColumns): string {
  return hash instanceof Uint8Array ? Buffer.from(hash).toString('hex') : String(hash)
}

/** Text from outside is stored as a JSON string. */
export function unquote(text: StoredValue): string {
  return String(text).startsWith('"') ? (JSON.parse(String(text)) as string) : String(text)
}

const missingReasons: ReadonlySet<string> = new Set(['card_not_found', 'receipt_not_found', 'access_denied', 'merchant_unknown'])
