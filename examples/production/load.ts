import { setTimeout as pause } from 'node:timers/promises'
import { makeMerchantCalls, type MerchantCalls, type Payment, type VerifiedCard } from './merchant.ts'
import type { ProductionSystem } from './system.ts'

/** What the load asks for: payments of saved cards, the state of a card, and a card of a new cardholder. */
export type CallKind = 'pay' | 'check' | 'card'

export interface LoadCall {
  readonly kind: CallKind
  /** `performance.now()` at its begin and end. */
  readonly from: number
  readonly to: number
  readonly isDone: boolean
  readonly why: string
}

/** A payment of an amount that no other one has. */
export interface TrialPayment extends Payment {
  readonly tiyin: number
}

/** A payment whose call was made again with its key. */
export interface RepeatedPayment {
  readonly tiyin: number
  /** Whether the network had taken it before. */
  readonly wasTaken: boolean
}

/** What was acknowledged, to be asked again at the end. */
export interface AcknowledgedWork {
  readonly payments: readonly TrialPayment[]
  readonly cards: readonly VerifiedCard[]
  /** Phones that were to get one code each. */
  readonly phones: readonly string[]
  readonly repeated: readonly RepeatedPayment[]
}

export interface TrialLoad {
  readonly calls: readonly LoadCall[]
  readonly acknowledged: AcknowledgedWork
  stop: () => Promise<void>
}

/** Starts payers, checkers and new cardholders, until `stop`. */
export async function startLoad(system: ProductionSystem): Promise<TrialLoad> {
  const { call, merchant, network } = system
  const seller: MerchantCalls = makeMerchantCalls(system)
  const cards: VerifiedCard[] = []
  for (let number = 1; number <= savedCards; number++) cards.push(await seller.makeCard(number))
  const calls: LoadCall[] = []
  const payments: TrialPayment[] = []
  const repeated: RepeatedPayment[] = []
  /** Indices of payments. */
  const toRepeat: number[] = []
  const phones: string[] = cards.map(({ phone }) => phone)
  let isStopping = false
  let nextTiyin = 100_000
  let nextCard = savedCards + 1

  const note = (kind: CallKind, from: number, why: string | null): void =>
    void calls.push({ kind, from, to: performance.now(), isDone: why === null, why: why ?? '' })

  const payer = async (index: number): Promise<void> => {
    for (let turn = index; !isStopping; turn += payers) {
      const from = performance.now()
      // Every amount is there once, so that the network's ledger tells which payment it took, and how often.
      const tiyin = ++nextTiyin
      const paid = await seller.pay(cards[turn % savedCards]?.token ?? '', tiyin)
      payments.push({ ...paid, tiyin })
      if (paid.isToRepeat) toRepeat.push(payments.length - 1)
      note('pay', from, paid.outcome === 'paid' ? null : `${paid.outcome}: ${paid.why}`)
      await pause(400)
    }
  }
  // As a shop does that got no reply: the same calls again, with their keys.
  const repeater = async (): Promise<void> => {
    for (let giveUpAt = Infinity; toRepeat.length > 0 || !isStopping;) {
      await pause(500)
      if (isStopping && giveUpAt === Infinity) giveUpAt = performance.now() + repeatMaxMs
      if (performance.now() > giveUpAt) return
      const index = toRepeat.shift()
      const payment = index === undefined ? undefined : payments[index]
      if (index === undefined || payment === undefined) continue
      const { tiyin } = payment
      if (repeated.every((each) => each.tiyin !== tiyin)) {
        const ledger = await network.ledger().catch(() => null)
        // The network is away: it cannot be seen yet whether it took the amount.
        if (ledger === null) {
          toRepeat.push(index)
          continue
        }
        repeated.push({ tiyin, wasTaken: ledger.some((entry) => entry.tiyin === tiyin) })
      }
      const again = await seller.repeat(payment)
      // A repeat that was refused before its key was looked up decides nothing.
      const isDecided = !again.isToRepeat && !undecidedReasons.has(again.why)
      if (isDecided) payments[index] = { ...again, receiptId: again.receiptId ?? payment.receiptId, tiyin }
      else {
        payments[index] = { ...payment, receiptId: again.receiptId ?? payment.receiptId }
        toRepeat.push(index)
      }
    }
  }
  const checker = async (): Promise<void> => {
    for (let turn = 0; !isStopping; turn++) {
      const from = performance.now()
      const { token } = cards[turn % savedCards] ?? { token: '' }
      const reply = await call({ method: 'cards.check', params: { token }, auth: `${merchant.id}:${merchant.password}` })
      note('check', from, reply.kind === 'result' ? null : reply.kind === 'error' ? reply.reason : reply.why)
      await pause(100)
    }
  }
  const cardholders = async (): Promise<void> => {
    while (!isStopping) {
      const from = performance.now()
      try {
        const card = await seller.makeCard(nextCard++)
        cards.push(card)
        phones.push(card.phone)
        note('card', from, null)
      } catch (err) {
        note('card', from, (err as Error).message)
      }
      await pause(500)
    }
  }
  const running = [...Array.from({ length: payers }, (_, index) => payer(index)), checker(), cardholders(), repeater()]
  return {
    calls,
    acknowledged: { payments, cards, phones, repeated },
    async stop() {
      isStopping = true
      await Promise.all(running)
    },
  }
}

const savedCards = 20
const payers = 4
/** The service could not be used at all (docs/concepts/idempotency.md: repeat with the same key). */
const undecidedReasons: ReadonlySet<string> = new Set(['store_unavailable', 'overloaded', 'draining', 'merchant_limit', 'address_limit'])
const repeatMaxMs = 120_000
