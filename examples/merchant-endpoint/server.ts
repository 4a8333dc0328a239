import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'

import type { Shop } from './shop.ts'

export interface MerchantServerOptions {
  readonly shop: Shop
  readonly login: string
  readonly password: string
  /** Receives each call and its response, for logging. */
  readonly onCall: (method: string, reply: object) => void
}

/** Creates the shop's HTTP endpoint. Every response is JSON-RPC with HTTP 200, errors included. */
export function createMerchantServer({ shop, login, password, onCall }: MerchantServerOptions): Server {
  const expected = Buffer.from(`Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`)
  return createServer((request, response) => {
    void handle(request).then((body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)))
  })

  async function handle(request: IncomingMessage): Promise<object> {
    const actual = Buffer.from(request.headers.authorization ?? '')
    if (actual.length !== expected.length || !timingSafeEqual(actual, expected)) return { error: accessDenied, id: null }
    const call = await readCall(request)
    if (call === null) return { error: parseError, id: null }
    const response = shop.handle(call)
    onCall(call.method, response)
    return { ...response, id: call.id }
  }
}

interface ShopCall {
  readonly id: unknown
  readonly method: string
  readonly params: Readonly<Record<string, unknown>>
}

async function readCall(request: IncomingMessage): Promise<ShopCall | null> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBodyBytes) return null
    chunks.push(chunk)
  }
  try {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Partial<ShopCall>
    return typeof method === 'string' && typeof params === 'object' ? { id: id ?? null, method, params } : null
  } catch {
    return null
  }
}

const accessDenied = { code: -32504, message: { ru: 'Недостаточно прав', uz: 'Ruxsat yoʻq', en: 'Access denied' } }
const parseError = { code: -32700, message: { ru: 'Ошибка разбора', uz: 'Oʻqib boʻlmadi', en: 'Parse error' } }
const maxBodyBytes = 65_536
