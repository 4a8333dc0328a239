import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

/** What a shop may keep of a card, and not a member more: no number, no code of an SMS, no CVV. */
export interface KeptCard {
  readonly token: string
  /** Masked, as the service tells it: `8600***6311`. */
  readonly number: string
  readonly expire: string
  readonly verify: boolean
  readonly recurrent: boolean
}

/** Somebody who buys here: known by a cookie. */
export interface Buyer {
  /** Only of a card that its owner agreed to have kept. */
  card: KeptCard | null
  /** When the next box is due, unix ms; null: none is. */
  nextBoxAt: number | null
}

/**
 * `open`: to be paid; `reason` tells what came of the try before. `paying`: sent to be paid, and not known yet. `returned`: paid, and given back
 * since.
 */
export interface Order {
  readonly id: string
  readonly buyer: string
  readonly amountTiyin: number
  readonly plan: 'once' | 'monthly'
  /** Unix ms. */
  readonly placedAt: number
  state: 'open' | 'paying' | 'paid' | 'returned'
  /** A receipt ends when nobody pays it for twelve hours: then comes another. From 1. */
  attempt: number
  receiptId: string | null
  /** How often this order was sent to be paid: part of the idempotency key, so that a new try is no repetition of the old one. */
  pays: number
  reason: string | null
  /** Mask of the card that paid. */
  paidBy: string | null
}

/** Everything that the shop remembers, in one file. */
export interface Records {
  readonly buyers: Record<string, Buyer>
  readonly orders: Record<string, Order>
  /** Deliveries that were here before. */
  readonly seen: string[]
  /** How far the rehearsal has put the clock forward, ms. A shop of yours has no such thing. */
  clockMs: number
  /** Keeps it on the disk, whole or not at all. */
  save: () => void
}

/** Opens the file, or begins a new one. One process at a time: with several, take a database. */
export function openRecords(path: string): Records {
  mkdirSync(dirname(path), { recursive: true })
  const empty = { buyers: {}, orders: {}, seen: [], clockMs: 0 }
  const kept = existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as typeof empty) : empty
  const records: Records = {
    ...kept,
    save() {
      const { save: _save, ...all } = records
      writeFileSync(`${path}.new`, JSON.stringify(all, null, 2), { mode: 0o600, flush: true })
      renameSync(`${path}.new`, path)
    },
  }
  return records
}
