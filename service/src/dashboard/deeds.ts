import type { AuditEntry, Store, TimePlace } from '../store/store.ts'

/** An entry of the audit as the merchant's people see it. */
export interface Deed {
  readonly entry: AuditEntry
  readonly userId: string | null
  /** Digits; null where there is no such user any more. */
  readonly phone: string | null
}

export interface DeedPage {
  readonly deeds: readonly Deed[]
  readonly next: TimePlace | null
}

/** Who did what for a merchant. */
export interface Deeds {
  /** Of people; of one subject all that was done to it, the newest hundred. */
  list(merchantId: string, subject: string | null, page: { readonly after: TimePlace | null; readonly count: number }): Promise<DeedPage>
}

export function makeDeeds(store: Store): Deeds {
  return Object.freeze({ list })

  async function list(merchantId: string, subject: string | null, { after, count }: Parameters<Deeds['list']>[2]): Promise<DeedPage> {
    const found =
      subject === null
        ? await store.listDeeds({ merchantId, after, count: count + 1 })
        : await store.listAuditOf(merchantId, subject, ofOneMax)
    const entries = subject === null ? found.slice(0, count) : found
    const last = subject === null && found.length > count ? entries.at(-1) : undefined
    const phones = await phonesOf(merchantId, entries)
    const deeds = entries.map((entry) => {
      const userId = userOf(entry)
      return { entry, userId, phone: userId === null ? null : (phones.get(userId) ?? null) }
    })
    return { deeds, next: last === undefined ? null : { at: last.at, id: Buffer.from(last.hash).toString('hex') } }
  }

  /** Each user is asked for once a page. */
  async function phonesOf(merchantId: string, entries: readonly AuditEntry[]): Promise<ReadonlyMap<string, string>> {
    const ids = new Set(entries.map(userOf).filter((id) => id !== null))
    const users = await Promise.all([...ids].map((id) => store.findDashboardUser(id)))
    const own = users.filter((user) => user?.merchantId === merchantId)
    return new Map(own.map((user) => [user?.userId ?? '', user?.phone ?? '']))
  }
}

function userOf({ actor }: AuditEntry): string | null {
  return /^user:([0-9a-f]{24})$/.exec(actor)?.[1] ?? null
}

const ofOneMax = 100
