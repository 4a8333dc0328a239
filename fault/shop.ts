// A merchant's server in a process of its own. It implements the Payme Merchant API, records its transactions, and drops or refuses some calls.
// `node fault/shop.ts <seed>` prints its address in one line, as the service does. GET returns the records.
import { createServer, type ServerResponse } from 'node:http'
import type { ShopTransaction } from './shop-records.ts'
import { makeRandom } from './random.ts'

const random = makeRandom(Number(process.argv[2] ?? 1))
const transactions = new Map<string, ShopTransaction>()
const counts = { checks: 0, refused: 0, lost: 0 }

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () =>
    request.method === 'GET' ? sendReply(response, { transactions: [...transactions.values()], ...counts }) : handle(response, chunks),
  )
})
server.listen(0, '127.0.0.1', () => {
  const at = server.address()
  const port = typeof at === 'object' && at !== null ? at.port : 0
  const url = `http://127.0.0.1:${port}`
  console.log(JSON.stringify({ ready: { url, adminUrl: url, demo: { merchantId: '', password: '' } } }))
})

/** Drops some requests before they are handled, and some replies after. */
function handle(response: ServerResponse, chunks: readonly Buffer[]): void {
  const drawn = random.next()
  if (drawn < lostRequestShare) {
    dropConnection(response)
    return
  }
  const body = handleCall(JSON.parse(Buffer.concat(chunks).toString()) as Call)
  if (drawn < lostRequestShare + lostReplyShare) {
    dropConnection(response)
    return
  }
  sendReply(response, body)
}

interface Call {
  readonly method: string
  readonly params: { readonly id?: string; readonly amount?: number }
}

function handleCall({ method, params: { id = '', amount = 0 } }: Call): object {
  const transaction = transactions.get(id)
  switch (method) {
    case 'CheckPerformTransaction':
      counts.checks++
      return random.chance(refusedCheckShare) ? refuse(-31008) : { result: { allow: true } }
    case 'CreateTransaction':
      if (transaction !== undefined && transaction.state !== 1) return refuse(-31008)
      if (transaction === undefined && random.chance(refusedTransactionShare)) return refuse(-31008)
      transactions.set(id, transaction ?? { id, amountTiyin: amount, state: 1, performed: 0 })
      return { result: { transaction: id, state: 1 } }
    case 'PerformTransaction':
      if (transaction === undefined) return refuse(-31003)
      if (transaction.state < 0 || (transaction.state === 1 && random.chance(refusedTransactionShare))) return refuse(-31008)
      return perform(transaction)
    case 'CancelTransaction':
      if (transaction === undefined) return refuse(-31003)
      if (transaction.state > 0) transaction.state = transaction.state === 2 ? -2 : -1
      return { result: { transaction: id, state: transaction.state } }
    default:
      return refuse(-32601)
  }
}

/** The goods are delivered. */
function perform(transaction: ShopTransaction): object {
  if (transaction.state === 1) transaction.performed++
  transaction.state = 2
  return { result: { transaction: transaction.id, state: 2 } }
}

function refuse(code: number): object {
  counts.refused++
  return { error: { code, message: { ru: 'Нет', uz: 'Yoʻq', en: 'No' } } }
}

function dropConnection(response: ServerResponse): void {
  counts.lost++
  response.destroy()
}

function sendReply(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const [lostRequestShare, lostReplyShare] = [0.06, 0.12]
const [refusedCheckShare, refusedTransactionShare] = [0.04, 0.05]
