import { type AuditChange, type AuditRow, decodeAuditChanges, listAuditOfSubject, listUserActions } from '../../store/audit.ts'
import { type DashboardUserRow, listDashboardUsers } from '../../store/dashboard-users.ts'
import type { Store } from '../../store/store.ts'
import type { TimeCursor } from '../../store/transaction.ts'

import { sortHistory } from '../audit-order.ts'

import { findAuditUsers, userIdOf } from './audit-users.ts'

/** An audit entry as shown to the merchant's users. */
export interface AuditListItem {
  readonly entry: AuditRow
  readonly changes: readonly AuditChange[]
  readonly userId: string | null
  /** Digits; null when the user no longer exists. */
  readonly phone: string | null
  /** '' without one, and when the user no longer exists. */
  readonly name: string
  /** The user that the entry is about, where there is one and it still exists. */
  readonly subjectUser: { readonly phone: string; readonly name: string } | null
}

/** Conditions of user actions; members that are left out do not restrict. */
export interface UserActionFilter {
  readonly userId?: string | undefined
  readonly action?: string | undefined
  readonly from?: number | undefined
  /** The end, itself excluded. */
  readonly to?: number | undefined
}

export interface AuditListPage {
  readonly entries: readonly AuditListItem[]
  readonly next: TimeCursor | null
}

export interface AuditPageQuery {
  readonly after: TimeCursor | null
  readonly count: number
}

/** The audit log of a merchant. */
export interface MerchantAuditLog {
  /** Lists user actions. A page examines at most 500 of them, so it may be short, or empty, and still have a next one. */
  list(merchantId: string, filter: UserActionFilter, page: AuditPageQuery): Promise<AuditListPage>
  /** The users whose actions can be listed, in the order of their ids. */
  people(merchantId: string): Promise<DashboardUserRow[]>
  /** A hundred entries about one object, by any actor, newest first. */
  listOfSubject(merchantId: string, subject: string): Promise<AuditListPage>
}

export function makeMerchantAuditLog(store: Store): MerchantAuditLog {
  return Object.freeze({ list, listOfSubject, people })

  function people(merchantId: string): Promise<DashboardUserRow[]> {
    return store.read(listDashboardUsers(merchantId, '', peopleMax))
  }

  async function list(merchantId: string, filter: UserActionFilter, { after, count }: AuditPageQuery): Promise<AuditListPage> {
    const { userId, action, from = 0, to } = filter
    const examined = userId === undefined && action === undefined ? count : examinedMax
    // Nothing happened at exactly this time with a hash before the empty one.
    const start = after ?? (to === undefined ? null : { at: to, id: '' })
    const found = await store.read(listUserActions({ merchantId, after: start, count: examined + 1 }))
    const entries: AuditRow[] = []
    let seen = 0
    for (const entry of found) {
      if (entries.length === count || seen === examined || entry.at < from) break
      seen += 1
      if ((userId === undefined || userIdOf(entry) === userId) && (action === undefined || entry.action === action)) entries.push(entry)
    }
    const last = seen < found.length && (found[seen]?.at ?? 0) >= from ? found[seen - 1] : undefined
    return {
      entries: await withUsers(merchantId, entries),
      next: last === undefined ? null : { at: last.at, id: Buffer.from(last.hash).toString('hex') },
    }
  }

  async function listOfSubject(merchantId: string, subject: string): Promise<AuditListPage> {
    const found = await store.read(listAuditOfSubject(merchantId, subject, maxSubjectEntries))
    // They are found by version, which entries about codes do not have.
    return { entries: await withUsers(merchantId, sortHistory(found)), next: null }
  }

  async function withUsers(merchantId: string, entries: readonly AuditRow[]): Promise<AuditListItem[]> {
    const users = await findAuditUsers(store, merchantId, [...entries.map(userIdOf), ...entries.map(subjectUserIdOf)])
    return entries.map((entry) => {
      const userId = userIdOf(entry)
      const { phone = null, name = '' } = users.get(userId ?? '') ?? {}
      const subjectUser = users.get(subjectUserIdOf(entry) ?? '') ?? null
      return { entry, changes: decodeAuditChanges(entry.changes), userId, phone, name, subjectUser }
    })
  }
}

/** Entries about users and their sign-ins have a user as their subject. */
function subjectUserIdOf({ action, subject }: AuditRow): string | null {
  return /^dashboard(?:_user)?\./.test(action) && /^[0-9a-f]{24}$/.test(subject) ? subject : null
}

const maxSubjectEntries = 100
/** As many as a merchant may have. */
const peopleMax = 500
const examinedMax = 500
