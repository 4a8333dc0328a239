import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Somebody who pays every month with a saved card. `day` is 1 to 28: every month has it. */
export interface Member {
  readonly id: string
  readonly amountTiyin: number
  readonly day: number
  /** The card token; null: ask the cardholder for a card. */
  token: string | null
  /** The charge of each month, `2026-11`; the last twelve are kept. */
  charges: Record<string, Charge>
}

/** One month's money. `open` is looked at again at `dueAt` (unix ms); `failed` was refused for good, `reason` tells why. */
export interface Charge {
  state: 'open' | 'paid' | 'failed'
  dueAt: number
  /** The attempt, from 1: each is a receipt of its own. */
  attempt: number
  receiptId: string | null
  /** How often this receipt was sent to be paid: part of the idempotency key, so that an old answer is not repeated for a new try. */
  pays: number
  reason: string | null
}

/** What the shop remembers: its members, and the deliveries that it has seen. */
export interface Book {
  readonly members: Member[]
  readonly seen: string[]
  /** Keeps it on the disk, whole or not at all. */
  save: () => void
}

/** Opens the file, or begins a new one. One process at a time. */
export function openBook(path: string): Book {
  const { members, seen } = existsSync(path)
    ? (JSON.parse(readFileSync(path, 'utf8')) as { members: Member[]; seen: string[] })
    : { members: [], seen: [] }
  return {
    members,
    seen,
    save() {
      writeFileSync(`${path}.new`, JSON.stringify({ members, seen }, null, 2), { mode: 0o600, flush: true })
      renameSync(`${path}.new`, path)
    },
  }
}

/** Notes a delivery; false when it was here before. The last thousand are kept: a delivery is repeated for days, not for ever. */
export function noteDelivery({ seen }: Book, id: string): boolean {
  if (seen.includes(id)) return false
  seen.push(id)
  seen.splice(0, seen.length - 1000)
  return true
}

export function findCharge({ members }: Book, receiptId: string): Charge | null {
  return members.flatMap(({ charges }) => Object.values(charges)).find((charge) => charge.receiptId === receiptId) ?? null
}
