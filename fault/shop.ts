// A merchant's own server in a process of its own: it answers the Payme Merchant API, keeps its book, and loses or refuses some of what it is asked.
// `node fault/shop.ts <seed>` says where it is in one line, as the service does. GET tells the book.
import { createServer, type ServerResponse } from 'node:http'
import type { ShopEntry } from './book.ts'
import { makeRandom } from './random.ts'

const random = makeRandom(Number(process.argv[2] ?? 1))
const entries = new Map<string, ShopEntry>()
const asked = { checks: 0, refused: 0, lost: 0 }

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () =>
    request.method === 'GET' ? tell(response, { entries: [...entries.values()], ...asked }) : meet(response, chunks),
  )
})
server.listen(0, '127.0.0.1', () => {
  const at = server.address()
  const port = typeof at === 'object' && at !== null ? at.port : 0
  const url = `http://127.0.0.1:${port}`
  console.log(JSON.stringify({ ready: { url, adminUrl: url, demo: { merchantId: '', password: '' } } }))
})

/** Some questions never come here, some answers never get back. */
function meet(response: ServerResponse, chunks: readonly Buffer[]): void {
  const drawn = random.next()
  if (drawn < lostQuestions) {
    lose(response)
    return
  }
  const reply = answer(JSON.parse(Buffer.concat(chunks).toString()) as Call)
  if (drawn < lostQuestions + lostAnswers) {
    lose(response)
    return
  }
  tell(response, reply)
}

interface Call {
  readonly method: string
  readonly params: { readonly id?: string; readonly amount?: number }
}

function answer({ method, params: { id = '', amount = 0 } }: Call): object {
  const entry = entries.get(id)
  switch (method) {
    case 'CheckPerformTransaction':
      asked.checks++
      return random.chance(refusedChecks) ? refuse(-31008) : { result: { allow: true } }
    case 'CreateTransaction':
      if (entry !== undefined && entry.state !== 1) return refuse(-31008)
      if (entry === undefined && random.chance(refusedTransactions)) return refuse(-31008)
      entries.set(id, entry ?? { id, amountTiyin: amount, state: 1, performed: 0 })
      return { result: { transaction: id, state: 1 } }
    case 'PerformTransaction':
      if (entry === undefined) return refuse(-31003)
      if (entry.state < 0 || (entry.state === 1 && random.chance(refusedTransactions))) return refuse(-31008)
      return perform(entry)
    case 'CancelTransaction':
      if (entry === undefined) return refuse(-31003)
      if (entry.state > 0) entry.state = entry.state === 2 ? -2 : -1
      return { result: { transaction: id, state: entry.state } }
    default:
      return refuse(-32601)
  }
}

/** The goods leave the house. */
function perform(entry: ShopEntry): object {
  if (entry.state === 1) entry.performed++
  entry.state = 2
  return { result: { transaction: entry.id, state: 2 } }
}

function refuse(code: number): object {
  asked.refused++
  return { error: { code, message: { ru: 'Нет', uz: 'Yoʻq', en: 'No' } } }
}

function lose(response: ServerResponse): void {
  asked.lost++
  response.destroy()
}

function tell(response: ServerResponse, reply: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply))
}

const [lostQuestions, lostAnswers] = [0.06, 0.12]
const [refusedChecks, refusedTransactions] = [0.04, 0.05]
