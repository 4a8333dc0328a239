import { type AuditChange, type AuditRow, decodeAuditChanges, listAuditOfSubject, listUserActions } from '../../store/audit.ts'
import { findDashboardUser } from '../../store/dashboard-users.ts'
import type { Store } from '../../store/store.ts'
import type { TimeCursor } from '../../store/transaction.ts'

/** An audit entry as shown to the merchant's users. */
export interface AuditListItem {
  readonly entry: AuditRow
  readonly changes: readonly AuditChange[]
  readonly userId: string | null
  /** Digits; null when the user no longer exists. */
  readonly phone: string | null
}

export interface AuditListPage {
  readonly entries: readonly AuditListItem[]
  readonly next: TimeCursor | null
}

/** The audit log of a merchant. */
export interface MerchantAuditLog {
  /** Lists user actions. With `subject`: the newest hundred entries about it, by any actor. */
  list(
    merchantId: string,
    subject: string | null,
    page: { readonly after: TimeCursor | null; readonly count: number },
  ): Promise<AuditListPage>
}

export function makeMerchantAuditLog(store: Store): MerchantAuditLog {
  return Object.freeze({ list })

  async function list(
    merchantId: string,
    subject: string | null,
    { after, count }: Parameters<MerchantAuditLog['list']>[2],
  ): Promise<AuditListPage> {
    const found =
      subject === null
        ? await store.read(listUserActions({ merchantId, after, count: count + 1 }))
        : await store.read(listAuditOfSubject(merchantId, subject, maxSubjectEntries))
    const entries = subject === null ? found.slice(0, count) : found
    const last = subject === null && found.length > count ? entries.at(-1) : undefined
    const phones = await phonesOf(merchantId, entries)
    const items = entries.map((entry) => {
      const userId = userIdOf(entry)
      return { entry, changes: decodeAuditChanges(entry.changes), userId, phone: userId === null ? null : (phones.get(userId) ?? null) }
    })
    return { entries: items, next: last === undefined ? null : { at: last.at, id: Buffer.from(last.hash).toString('hex') } }
  }

  /** Reads each user once per page. */
  async function phonesOf(merchantId: string, entries: readonly AuditRow[]): Promise<ReadonlyMap<string, string>> {
    const ids = new Set(entries.map(userIdOf).filter((id) => id !== null))
    const users = await Promise.all([...ids].map((id) => store.read(findDashboardUser(id))))
    const own = users.filter((user) => user?.merchantId === merchantId)
    return new Map(own.map((user) => [user?.userId ?? '', user?.phone ?? '']))
  }
}

function userIdOf({ actor }: AuditRow): string | null {
  return /^user:([0-9a-f]{24})$/.exec(actor)?.[1] ?? null
}

const maxSubjectEntries = 100
