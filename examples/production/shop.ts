import { once } from 'node:events'
import { existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { verifyWebhook } from '@tessera/client'
import { createMerchantServer } from '../merchant-endpoint/server.ts'
import { createShop, type Shop } from '../merchant-endpoint/shop.ts'

// The merchant's server: its endpoint for payments (docs/guides/merchant-endpoint.md) and its receiver of webhooks. A program of its own, so that it can be
// killed and paused: `node shop.ts <port> <control port> <certificate> <key> <password> <journal>`. Each call is in the journal before it is answered, so that a
// shop that was killed knows its transactions.

/** How it treats calls: as a shop should, or lying. */
export const shopBehaviours = ['honest', 'garbage', 'refuses'] as const

/** What the shop has seen, as `GET /seen` returns it. */
export interface ShopRecord {
  readonly performed: number
  /** Ids of events whose signature was right, each once. */
  readonly events: readonly { readonly type: string; readonly receiptId: string }[]
  readonly badSignatures: number
}

function serve(port: number, controlPort: number, files: { cert: string; key: string; journal: string }, password: string): void {
  const shop = openShop(files.journal)
  const endpoint = createMerchantServer({ shop, login: 'Paycom', password, onCall: () => undefined })
  const seen = { events: new Map<string, { type: string; receiptId: string }>(), badSignatures: 0 }
  const secrets: string[] = []
  let behaviour: string = 'honest'
  const server = createTlsServer({ cert: readFileSync(files.cert), key: readFileSync(files.key) }, (request, response) => {
    if (request.url === '/endpoint') {
      if (behaviour === 'honest') return void endpoint.emit('request', request, response)
      return void response.end(behaviour === 'garbage' ? '{"result":' : '{"error":{"code":-31008,"message":"no"},"id":null}')
    }
    readBody(request).then(
      (body) => {
        if (behaviour !== 'honest') return response.writeHead(500).end()
        try {
          const { id, type, data } = verifyWebhook(body, request.headers, { secrets })
          seen.events.set(id, { type, receiptId: 'receipt' in data ? data.receipt.id : '' })
          return response.writeHead(204).end()
        } catch {
          seen.badSignatures += 1
          return response.writeHead(400).end()
        }
      },
      () => response.destroy(),
    )
  })
  server.listen(port, '127.0.0.1')
  // What the example tells and asks the shop: on another port, in the clear, on this machine only.
  createServer((request, response) => {
    const [, verb, argument = ''] = (request.url ?? '').split('/')
    if (verb === 'secret') secrets.push(decodeURIComponent(argument))
    if (verb === 'behave') behaviour = argument
    const performed = [...shop.transactions.values()].filter(({ state }) => state === 2).length
    const answer: ShopRecord = { performed, events: [...seen.events.values()], badSignatures: seen.badSignatures }
    response.end(JSON.stringify(answer))
  }).listen(controlPort, '127.0.0.1')
}

/** A shop that takes any order, with the calls of an earlier start. */
function openShop(journal: string): Shop {
  const shop = createShop({ findOrder: () => ({ amountTiyin: null }), now: Date.now })
  const earlier = existsSync(journal) ? readFileSync(journal, 'utf8').split('\n').slice(0, -1) : []
  for (const line of earlier) shop.handle(JSON.parse(line) as Parameters<Shop['handle']>[0])
  const fd = openSync(journal, 'a')
  return {
    transactions: shop.transactions,
    handle(call) {
      writeSync(fd, `${JSON.stringify(call)}\n`)
      return shop.handle(call)
    },
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(request, 'end')
  return Buffer.concat(chunks)
}

if (process.argv[1] === import.meta.filename) {
  const [port, controlPort, cert = '', key = '', password = '', journal = ''] = process.argv.slice(2)
  serve(Number(port), Number(controlPort), { cert, key, journal }, password)
}
