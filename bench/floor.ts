// The floor, run as a program: plain node:http, JSON.parse, and one query to the same store. Nothing is checked, sealed or counted.
// The insert includes its audit entry, linked and hashed, since the group commit stores no card without one. That makes this floor lower than a bare row.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { parseArgs } from 'node:util'
import { openPostgresStore } from '../service/src/store/postgres/postgres.ts'
import { openSqliteStore } from '../service/src/store/sqlite/sqlite.ts'
import { withTestAuditKey } from '../service/src/store/suite/audit-key.fixture.ts'
import { keyOf, makeFloorRows } from './floor-row.ts'
import { makeFloorPayments } from './floor-payment.ts'
import { findCard, insertCard } from '../service/src/store/cards.ts'

const { values } = parseArgs({ options: { data: { type: 'string' }, 'database-url': { type: 'string' } } })
const merchantId = '65f0c0ffee0000000000cafe'
const url = values['database-url']
const store = withTestAuditKey(
  await (url === undefined ? openSqliteStore({ folder: values.data ?? '' }) : openPostgresStore({ url, allowUnsafe: true })),
)
const rows = makeFloorRows(merchantId)
const payments = makeFloorPayments(store, merchantId)
/** As long as a real secret half. */
const secretHalf = 'aBoPl3mN0t0Q2LNZMaK6u5i7yC8IL4GisB9JUhUOD9X'

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => void answer(request, response, Buffer.concat(chunks)))
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  process.stdout.write(
    `${JSON.stringify({ ready: { url: `http://127.0.0.1:${port}`, adminUrl: '', demo: { merchantId, password: '' } } })}\n`,
  )
})
process.once('SIGTERM', () => void store.close(1000).then(() => process.exit(0)))

async function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
  const { id, params } = JSON.parse(body.toString()) as { id: number; params: { token: string; id: string } }
  const text = JSON.stringify({ jsonrpc: '2.0', id, result: await handle(request.url ?? '', params) })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

async function handle(url: string, params: { readonly token: string; readonly id: string }): Promise<object> {
  switch (url) {
    case '/api/cards.create':
      return { card: await create() }
    case '/api/cards.check':
      return { card: await check(params.token) }
    case '/api/receipts.create':
      return { receipt: { ...responseReceipt, _id: await payments.create() } }
    case '/api/receipts.pay':
      return { receipt: { ...responseReceipt, _id: (await payments.pay(params.id)).receiptId } }
    default:
      // What comes before a payment, and is not measured.
      return { sent: true, card: { ...responseCard, verify: true } }
  }
}

async function create(): Promise<object> {
  const { card, audit } = rows.next()
  await store.write(insertCard, { card, audit })
  return { ...responseCard, token: `${card.cardId}_${secretHalf}` }
}

async function check(token: string): Promise<object> {
  const found = await store.read(findCard(keyOf(merchantId, token)))
  if (found === null) throw new Error('the floor knows no such card')
  return { number: '8600***6311', expire: found.expiry, token, recurrent: found.recurrent, verify: found.verified, type: found.type }
}

const responseCard = { number: '8600***6311', expire: '0399', token: '', recurrent: true, verify: false, type: '22618' }
/** As long as a real one. */
const responseReceipt = {
  _id: '',
  create_time: 1_795_889_622_543,
  pay_time: 0,
  cancel_time: 0,
  state: 4,
  amount: 100_000,
  text: 'x'.repeat(300),
}
