import type { SendClaim } from '../store/store.ts'
import { sendWindowsOf } from '../verification/limits.ts'

/** How long things last for a receipt. Milliseconds where the name says so; each is a setting or a fixed figure of the wire. */
export interface ReceiptFigures {
  /** Life of a receipt that nobody has paid (wire §5). */
  readonly unpaidLifeMs: number
  /** After this a hold lapses, and the money goes back. */
  readonly holdLifeMs: number
  /** How long a card network may take. */
  readonly networkTimeoutMs: number
  /** How long a merchant's endpoint may take for all that one step asks of it. */
  readonly endpointTimeoutMs: number
  /** For so long an endpoint that does not answer is told that the money is there; then the money goes back. */
  readonly closeForMs: number
  /** For so long a call that is under way is left alone; longer than the network may take, and than a stopped process needs to come back. */
  readonly leaseMs: number
  /** Between the looks of the background: the first wait, doubled each time, and the longest. */
  readonly backoffFirstMs: number
  readonly backoffMostMs: number
  /** What is not settled after this is flagged for a person. */
  readonly flagAfterMs: number
  /** Whether sends to a phone are counted; off in the test environment unless rehearsed. */
  readonly limits: boolean
  /** Messages to one phone, codes among them. */
  readonly sendWindows: SendClaim['windows']
  readonly smsTimeoutMs: number
  /** Who sends the message, as the payer reads it. */
  readonly providerName: string
}

export const receiptFigures: ReceiptFigures = Object.freeze({
  unpaidLifeMs: 12 * 3_600_000,
  holdLifeMs: 7 * 24 * 3_600_000,
  networkTimeoutMs: 12_000,
  endpointTimeoutMs: 16_000,
  // The life of a transaction in the Payme Merchant API: after it the merchant's server refuses to perform by itself.
  closeForMs: 12 * 3_600_000,
  leaseMs: 30_000,
  backoffFirstMs: 1000,
  backoffMostMs: 600_000,
  flagAfterMs: 24 * 3_600_000,
  limits: true,
  sendWindows: sendWindowsOf({ tenMinutesMax: 3, dayMax: 5 }),
  smsTimeoutMs: 3000,
  providerName: 'Tessera',
})
