import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** What a shop may store about a card: no number, no SMS code, no CVV. */
export interface SavedCard {
  readonly token: string
  /** The masked number, as the service returns it: `8600***6311`. */
  readonly number: string
  readonly expire: string
  readonly verify: boolean
  readonly recurrent: boolean
}

/** A buyer, identified by a cookie. */
export interface Buyer {
  /** Only a card that its owner agreed to save. */
  card: SavedCard | null
  /** When the next box is due, Unix ms; null: none is planned. */
  nextBoxAt: number | null
}

/**
 * `open`: to be paid; `reason` tells why the last attempt failed. `paying`: the payment was sent, and its result is not known yet.
 * `returned`: paid and refunded.
 */
export interface ShopOrder {
  readonly id: string
  readonly buyer: string
  readonly amountTiyin: number
  readonly plan: 'once' | 'monthly'
  /** Unix ms. */
  readonly placedAt: number
  state: 'open' | 'paying' | 'paid' | 'returned'
  /** The number of the receipt, from 1. An unpaid receipt expires after twelve hours, and the next attempt gets another one. */
  attempt: number
  receiptId: string | null
  /** How often the payment was sent. Part of the idempotency key, so that a new attempt is not a repetition of the old one. */
  pays: number
  reason: string | null
  /** The masked number of the card that paid. */
  paidBy: string | null
}

/** The shop's data, in one file. */
export interface Records {
  readonly buyers: Record<string, Buyer>
  readonly orders: Record<string, ShopOrder>
  /** Ids of the webhook deliveries that were handled. */
  readonly handledDeliveries: string[]
  /** How far test mode has advanced the clock, ms. A real shop has no such thing. */
  clockOffsetMs: number
  /** Writes everything to disk, atomically. */
  save: () => void
}

/** Opens the file, or starts a new one. Only one process may use it at a time; several need a database. */
export function openRecords(path: string): Records {
  mkdirSync(dirname(path), { recursive: true })
  const empty = { buyers: {}, orders: {}, handledDeliveries: [], clockOffsetMs: 0 }
  const stored = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as typeof empty) : empty
  const records: Records = {
    ...stored,
    save() {
      const { save: _save, ...all } = records
      writeFileSync(`${path}.new`, JSON.stringify(all, null, 2), { mode: 0o600, flush: true })
      renameSync(`${path}.new`, path)
    },
  }
  return records
}
