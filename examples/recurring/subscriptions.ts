import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** A member who pays every month with a saved card. `day` is 1 to 28, a day that every month has. */
export interface ClubMember {
  readonly id: string
  readonly amountTiyin: number
  readonly day: number
  /** The card token; null: the cardholder has to enter a card. */
  token: string | null
  /** The charge of each month, by month (`2026-11`). The last twelve are stored. */
  charges: Record<string, Charge>
}

/** The charge of one month. `open` is checked again at `dueAt` (Unix ms). `failed` is final; `reason` tells why. */
export interface Charge {
  state: 'open' | 'paid' | 'failed'
  dueAt: number
  /** The attempt, from 1. Each attempt has its own receipt. */
  attempt: number
  receiptId: string | null
  /** How often the payment of this receipt was sent. Part of the idempotency key, so that a retry does not get an old response. */
  pays: number
  reason: string | null
}

/** The club's data: its members, and the deliveries it has handled. */
export interface Subscriptions {
  readonly members: ClubMember[]
  readonly handledDeliveries: string[]
  /** Writes everything to disk, atomically. */
  save: () => void
}

/** Opens the file, or starts a new one. Only one process may use it at a time. */
export function openSubscriptions(path: string): Subscriptions {
  const { members, handledDeliveries } = existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as { members: ClubMember[]; handledDeliveries: string[] })
    : { members: [], handledDeliveries: [] }
  return {
    members,
    handledDeliveries,
    save() {
      writeFileSync(`${path}.new`, JSON.stringify({ members, handledDeliveries }, null, 2), { mode: 0o600, flush: true })
      renameSync(`${path}.new`, path)
    },
  }
}

/** Records a delivery. Returns false when it was handled before. The last thousand are stored: a delivery is repeated for days only. */
export function recordDelivery({ handledDeliveries }: Subscriptions, id: string): boolean {
  if (handledDeliveries.includes(id)) return false
  handledDeliveries.push(id)
  handledDeliveries.splice(0, handledDeliveries.length - 1000)
  return true
}

export function findCharge({ members }: Subscriptions, receiptId: string): Charge | null {
  return members.flatMap(({ charges }) => Object.values(charges)).find((charge) => charge.receiptId === receiptId) ?? null
}
