/** What somebody may pay for: an order, once and for its sum; or with no sum an account that is topped up, with any sum and often. */
export interface Order {
  /** Tiyin; null: any. */
  readonly sum: number | null
}

export interface Transaction {
  readonly id: string
  readonly orderId: string
  readonly sum: number
  /** 1 made · 2 performed · -1 cancelled before · -2 cancelled after it was performed. */
  state: 1 | 2 | -1 | -2
  /** As the service gave it. */
  readonly time: number
  readonly createTime: number
  performTime: number
  cancelTime: number
  reason: number | null
}

export interface Shop {
  readonly transactions: ReadonlyMap<string, Transaction>
  /** Answers one call: the members of its reply beside `id`. */
  answer(call: { readonly method: string; readonly params: Readonly<Record<string, unknown>> }): { result: object } | { error: ShopError }
}

export interface ShopError {
  readonly code: number
  readonly message: { readonly ru: string; readonly uz: string; readonly en: string }
  readonly data?: string
}

export interface ShopParts {
  readonly findOrder: (orderId: string) => Order | null
  readonly now: () => number
}

/** A shop's side of the Payme Merchant API, kept in memory. A real one keeps its transactions where it keeps its orders. */
export function openShop({ findOrder, now }: ShopParts): Shop {
  const transactions = new Map<string, Transaction>()
  const methods: Readonly<Record<string, (params: Params) => object>> = {
    CheckPerformTransaction: (params) => {
      expectPayable(params)
      return { allow: true }
    },
    CreateTransaction: create,
    PerformTransaction: perform,
    CancelTransaction: cancel,
    CheckTransaction: ({ id }) => tell(find(id)),
  }

  return {
    transactions,
    answer({ method, params }) {
      const run = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (run === undefined) return { error: { ...refusals.method, data: method } }
      try {
        return { result: run(params) }
      } catch (err) {
        if (err instanceof Refused) return { error: err.error }
        throw err
      }
    },
  }

  /** Which order it is, when this sum may be paid for it now. `id`: the transaction that may be paying for it already. */
  function expectPayable({ id, amount: sum, account }: Params): string {
    const orderId = readOrderId(account)
    const order = findOrder(orderId)
    if (order === null) throw new Refused({ ...refusals.order, data: 'order_id' })
    if (typeof sum !== 'number' || (order.sum !== null && order.sum !== sum)) throw new Refused(refusals.sum)
    const others = [...transactions.values()].filter((other) => other.orderId === orderId && other.id !== id && other.state > 0)
    if (order.sum !== null && others.length > 0) throw new Refused({ ...refusals.busy, data: 'order_id' })
    return orderId
  }

  /** Asked again, it is the same transaction; one that has gone on is not made a second time. */
  function create(params: Params): object {
    const { id, time, amount: sum } = params
    if (typeof id !== 'string' || typeof time !== 'number') throw new Refused(refusals.cannot)
    const made = transactions.get(id)
    if (made !== undefined && made.state !== 1) throw new Refused(refusals.cannot)
    if (made !== undefined) return tell(made)
    const orderId = expectPayable(params)
    const times = { time, createTime: now(), performTime: 0, cancelTime: 0 }
    const transaction: Transaction = { id, orderId, sum: Number(sum), state: 1, ...times, reason: null }
    transactions.set(id, transaction)
    return tell(transaction)
  }

  /** Here the goods leave the house: once, however often it is asked. */
  function perform({ id }: Params): object {
    const transaction = find(id)
    if (transaction.state < 0) throw new Refused(refusals.cannot)
    if (transaction.state === 1) {
      transaction.state = 2
      transaction.performTime = now()
    }
    return tell(transaction)
  }

  function cancel({ id, reason }: Params): object {
    const transaction = find(id)
    if (transaction.state > 0) {
      transaction.state = transaction.state === 2 ? -2 : -1
      transaction.cancelTime = now()
      transaction.reason = typeof reason === 'number' ? reason : null
    }
    return tell(transaction)
  }

  function find(id: unknown): Transaction {
    const transaction = typeof id === 'string' ? transactions.get(id) : undefined
    if (transaction === undefined) throw new Refused(refusals.transaction)
    return transaction
  }
}

type Params = Readonly<Record<string, unknown>>

class Refused extends Error {
  readonly error: ShopError

  constructor(error: ShopError) {
    super(error.message.en)
    this.error = error
  }
}

function tell({ id, state, createTime, performTime, cancelTime, reason }: Transaction): object {
  return { transaction: id, state, create_time: createTime, perform_time: performTime, cancel_time: cancelTime, reason }
}

function readOrderId(account: unknown): string {
  const orderId = typeof account === 'object' && account !== null && 'order_id' in account ? account.order_id : ''
  return typeof orderId === 'string' ? orderId : ''
}

const refusals = {
  method: { code: -32601, message: { ru: 'Метод не найден', uz: 'Metod topilmadi', en: 'Method not found' } },
  sum: { code: -31001, message: { ru: 'Неверная сумма', uz: 'Summa notoʻgʻri', en: 'Wrong amount' } },
  transaction: { code: -31003, message: { ru: 'Транзакция не найдена', uz: 'Tranzaksiya topilmadi', en: 'Transaction not found' } },
  cannot: { code: -31008, message: { ru: 'Невозможно выполнить', uz: 'Bajarib boʻlmaydi', en: 'Cannot be carried out' } },
  order: { code: -31050, message: { ru: 'Заказ не найден', uz: 'Buyurtma topilmadi', en: 'Order not found' } },
  busy: { code: -31099, message: { ru: 'Заказ уже оплачивается', uz: 'Buyurtma toʻlanmoqda', en: 'The order is being paid already' } },
} as const satisfies Record<string, ShopError>
