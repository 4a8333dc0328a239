import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'

/** `swallows`: it performs payments, but does not answer that it did. `hangs`: it reads requests and does nothing. */
export type ShopMode = 'responds' | 'swallows' | 'hangs'

/** A merchant's server that implements the Payme Merchant API, in the process of the experiment. */
export interface HangingShop {
  readonly url: string
  mode: ShopMode
  /** Receipts that it performed. */
  readonly performed: ReadonlySet<string>
  /** Calls that cancel a payment. */
  readonly cancelled: ReadonlySet<string>
  close(): void
}

export async function startHangingShop(): Promise<HangingShop> {
  const performed = new Set<string>()
  const cancelled = new Set<string>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (shop.mode === 'hangs') return
      const { method, params } = JSON.parse(Buffer.concat(chunks).toString()) as { method: string; params: { id?: string } }
      handle(method, params.id ?? '', response)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const shop: HangingShop = {
    url: `http://127.0.0.1:${port}/`,
    mode: 'responds',
    performed,
    cancelled,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
  return shop

  function handle(method: string, id: string, response: ServerResponse): void {
    if (method === 'PerformTransaction') performed.add(id)
    if (method === 'CancelTransaction') cancelled.add(id)
    if (method === 'PerformTransaction' && shop.mode === 'swallows') return
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ result: resultOf(method) }))
  }
}

function resultOf(method: string): object {
  if (method === 'CheckPerformTransaction') return { allow: true }
  return { state: method === 'PerformTransaction' ? 2 : method === 'CancelTransaction' ? -2 : 1 }
}
