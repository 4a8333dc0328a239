import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { HttpsReply } from './client.ts'
import { phoneOfCard } from './card-network.ts'
import type { ProductionSystem } from './system.ts'

/** The calls of the merchant's server. */
export interface MerchantCalls {
  /** A verified card of a new number; the code comes by SMS. */
  makeCard: (number: number) => Promise<VerifiedCard>
  /** Creates a receipt and pays it. */
  pay: (token: string, tiyin: number) => Promise<Payment>
  /** Makes the calls of a payment again, with the keys that they had. */
  repeat: (payment: Payment) => Promise<Payment>
  readReceipt: (id: string) => Promise<HttpsReply>
  refund: (id: string) => Promise<HttpsReply>
}

export interface VerifiedCard {
  readonly token: string
  readonly phone: string
}

/** `unknown`: no reply, or one that says so; the receipt tells later. */
export interface Payment {
  readonly order: PaymentOrder
  readonly receiptId: string | null
  readonly outcome: 'paid' | 'refused' | 'unknown'
  readonly why: string
  readonly ms: number
  /** Whether nothing decides it but to make the call again with its key: no reply came, or one that says so. */
  readonly isToRepeat: boolean
}

export interface PaymentOrder {
  /** The name of the order, of which its keys are made. */
  readonly name: string
  readonly token: string
  readonly tiyin: number
}

export function makeMerchantCalls({ call, merchant, phones }: Pick<ProductionSystem, 'call' | 'merchant' | 'phones'>): MerchantCalls {
  const server = `${merchant.id}:${merchant.password}`
  const run = randomBytes(4).toString('hex')
  let orders = 0
  return {
    async makeCard(number) {
      const pan = makeCardNumber(number)
      // Each card from an address of its own, as cardholders have: the limits count by it.
      const from = `127.0.${String(1 + (number >> 8))}.${String(number & 255)}`
      const created = requireResult(
        await call({ method: 'cards.create', params: { card: { number: pan, expire: '0399' }, save: true }, auth: merchant.id, from }),
      )
      const { token } = created.card as { token: string }
      const phone = phoneOfCard(pan)
      requireResult(await call({ method: 'cards.get_verify_code', params: { token }, auth: merchant.id, from }))
      const code = await untilCode(() => phones.codesOf(phone).at(-1))
      requireResult(await call({ method: 'cards.verify', params: { token, code }, auth: merchant.id, from }))
      return { token, phone }
    },
    pay: (token, tiyin) => payOrder({ name: `${run}-${String(++orders)}`, token, tiyin }),
    repeat: ({ order }) => payOrder(order),
    readReceipt: (id) => call({ method: 'receipts.get', params: { id }, auth: server }),
    refund: (id) => call({ method: 'receipts.cancel', params: { id }, auth: server, key: `${id}-refund` }),
  }

  async function payOrder(order: PaymentOrder): Promise<Payment> {
    const startedAt = performance.now()
    const { name, token, tiyin } = order
    const params = { amount: tiyin, account: { order_id: name } }
    const created = await call({ method: 'receipts.create', params, auth: server, key: `${name}-create` })
    if (created.kind !== 'result') return describe(order, { receiptId: null, reply: created, startedAt })
    const receiptId = (created.result.receipt as { _id: string })._id
    const reply = await call({ method: 'receipts.pay', params: { id: receiptId, token }, auth: server, key: `${name}-pay` })
    return describe(order, { receiptId, reply, startedAt })
  }
}

interface PaymentReply {
  readonly receiptId: string | null
  readonly reply: HttpsReply
  readonly startedAt: number
}

function describe(order: PaymentOrder, { receiptId, reply, startedAt }: PaymentReply): Payment {
  const base = { order, receiptId, ms: performance.now() - startedAt, isToRepeat: false }
  if (reply.kind === 'noReply') return { ...base, outcome: 'unknown', why: reply.why, isToRepeat: true }
  if (reply.kind === 'error') {
    const { reason } = reply
    return { ...base, outcome: unknownReasons.has(reason) ? 'unknown' : 'refused', why: reason, isToRepeat: repeatedReasons.has(reason) }
  }
  const { state } = reply.result.receipt as { state: number }
  return { ...base, outcome: state === 4 ? 'paid' : 'unknown', why: `state ${String(state)}` }
}

/** Errors after which a payment may have happened. */
const unknownReasons: ReadonlySet<string> = new Set([
  'outcome_unknown',
  'network_no_answer',
  'payment_unknown',
  'timeout',
  'request_in_progress',
])

/** Errors for which the wire asks to make the same call again, with its key. */
const repeatedReasons: ReadonlySet<string> = new Set(['outcome_unknown', 'timeout', 'request_in_progress'])

function requireResult(reply: HttpsReply): Readonly<Record<string, unknown>> {
  if (reply.kind === 'result') return reply.result
  throw new Error(reply.kind === 'error' ? `${String(reply.code)} ${reply.reason}` : `no reply: ${reply.why}`)
}

async function untilCode(read: () => string | undefined): Promise<string> {
  for (let attempt = 0; attempt < 200; attempt++) {
    const code = read()
    if (code !== undefined) return code
    await pause(50)
  }
  throw new Error('no SMS with a code came within 10 s')
}

/** A number of the example's network with a right check digit (ISO/IEC 7812-1, annex B); nobody's card is known to have it. */
export function makeCardNumber(number: number): string {
  const digits = `8600000000${String(number).padStart(5, '0')}`
  let sum = 0
  for (const [index, digit] of Array.from(digits).reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 0 ? 2 : 1)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return `${digits}${String((10 - (sum % 10)) % 10)}`
}
