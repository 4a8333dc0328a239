/** What can be paid for: an order, paid once with its exact amount, or an account that can be topped up with any amount, repeatedly. */
export interface Order {
  /** Null: any amount, repeatedly. */
  readonly amountTiyin: number | null
}

export interface EndpointTransaction {
  readonly id: string
  readonly orderId: string
  readonly amountTiyin: number
  /** 1 created · 2 performed · -1 cancelled before · -2 cancelled after it was performed. */
  state: 1 | 2 | -1 | -2
  /** The time that the service sent. */
  readonly time: number
  readonly createTime: number
  performTime: number
  cancelTime: number
  reason: number | null
}

export interface Shop {
  readonly transactions: ReadonlyMap<string, EndpointTransaction>
  /** Handles one call. Returns the members of the response besides `id`. */
  handle(call: { readonly method: string; readonly params: Readonly<Record<string, unknown>> }): { result: object } | { error: ShopError }
}

export interface ShopError {
  readonly code: number
  readonly message: { readonly ru: string; readonly uz: string; readonly en: string }
  readonly data?: string
}

export interface ShopOptions {
  readonly findOrder: (orderId: string) => Order | null
  readonly now: () => number
}

/** The merchant's side of the Payme Merchant API, in memory. A real shop stores the transactions beside its orders. */
export function createShop({ findOrder, now }: ShopOptions): Shop {
  const transactions = new Map<string, EndpointTransaction>()
  const methods: Readonly<Record<string, (params: Params) => object>> = {
    CheckPerformTransaction: (params) => {
      checkPayable(params)
      return { allow: true }
    },
    CreateTransaction: create,
    PerformTransaction: perform,
    CancelTransaction: cancel,
    CheckTransaction: ({ id }) => toResult(findTransaction(id)),
  }

  return {
    transactions,
    handle({ method, params }) {
      const run = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (run === undefined) return { error: { ...errors.method, data: method } }
      try {
        return { result: run(params) }
      } catch (err) {
        if (err instanceof ShopErrorResponse) return { error: err.error }
        throw err
      }
    },
  }

  /** Returns the order's id when this amount can be paid for it now. `id`: the transaction that may be paying for it already. */
  function checkPayable({ id, amount, account }: Params): string {
    const orderId = parseOrderId(account)
    const order = findOrder(orderId)
    if (order === null) throw new ShopErrorResponse({ ...errors.order, data: 'order_id' })
    if (typeof amount !== 'number' || (order.amountTiyin !== null && order.amountTiyin !== amount))
      throw new ShopErrorResponse(errors.amount)
    const others = [...transactions.values()].filter((other) => other.orderId === orderId && other.id !== id && other.state > 0)
    if (order.amountTiyin !== null && others.length > 0) throw new ShopErrorResponse({ ...errors.busy, data: 'order_id' })
    return orderId
  }

  /** A repeated call returns the same transaction, unless it has been performed or cancelled. */
  function create(params: Params): object {
    const { id, time, amount } = params
    if (typeof id !== 'string' || typeof time !== 'number') throw new ShopErrorResponse(errors.cannot)
    const existing = transactions.get(id)
    if (existing !== undefined && existing.state !== 1) throw new ShopErrorResponse(errors.cannot)
    if (existing !== undefined) return toResult(existing)
    const orderId = checkPayable(params)
    const transaction: EndpointTransaction = {
      id,
      orderId,
      amountTiyin: Number(amount),
      state: 1,
      time,
      createTime: now(),
      performTime: 0,
      cancelTime: 0,
      reason: null,
    }
    transactions.set(id, transaction)
    return toResult(transaction)
  }

  /** The goods are shipped here: once, however often the call is repeated. */
  function perform({ id }: Params): object {
    const transaction = findTransaction(id)
    if (transaction.state < 0) throw new ShopErrorResponse(errors.cannot)
    if (transaction.state === 1) {
      transaction.state = 2
      transaction.performTime = now()
    }
    return toResult(transaction)
  }

  function cancel({ id, reason }: Params): object {
    const transaction = findTransaction(id)
    if (transaction.state > 0) {
      transaction.state = transaction.state === 2 ? -2 : -1
      transaction.cancelTime = now()
      transaction.reason = typeof reason === 'number' ? reason : null
    }
    return toResult(transaction)
  }

  function findTransaction(id: unknown): EndpointTransaction {
    const transaction = typeof id === 'string' ? transactions.get(id) : undefined
    if (transaction === undefined) throw new ShopErrorResponse(errors.transaction)
    return transaction
  }
}

type Params = Readonly<Record<string, unknown>>

class ShopErrorResponse extends Error {
  readonly error: ShopError

  constructor(error: ShopError) {
    super(error.message.en)
    this.error = error
  }
}

function toResult({ id, state, createTime, performTime, cancelTime, reason }: EndpointTransaction): object {
  return { transaction: id, state, create_time: createTime, perform_time: performTime, cancel_time: cancelTime, reason }
}

function parseOrderId(account: unknown): string {
  const orderId = typeof account === 'object' && account !== null && 'order_id' in account ? account.order_id : ''
  return typeof orderId === 'string' ? orderId : ''
}

const errors = {
  method: { code: -32601, message: { ru: 'Метод не найден', uz: 'Metod topilmadi', en: 'Method not found' } },
  amount: { code: -31001, message: { ru: 'Неверная сумма', uz: 'Summa notoʻgʻri', en: 'Wrong amount' } },
  transaction: { code: -31003, message: { ru: 'Транзакция не найдена', uz: 'Tranzaksiya topilmadi', en: 'Transaction not found' } },
  cannot: { code: -31008, message: { ru: 'Невозможно выполнить', uz: 'Bajarib boʻlmaydi', en: 'Cannot be carried out' } },
  order: { code: -31050, message: { ru: 'Заказ не найден', uz: 'Buyurtma topilmadi', en: 'Order not found' } },
  busy: { code: -31099, message: { ru: 'Заказ уже оплачивается', uz: 'Buyurtma toʻlanmoqda', en: 'The order is being paid already' } },
} as const satisfies Record<string, ShopError>
