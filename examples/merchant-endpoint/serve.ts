import { timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'

import type { Shop } from './shop.ts'

export interface ServeParts {
  readonly shop: Shop
  readonly login: string
  readonly password: string
  /** Told of each call and what it was answered. */
  readonly told: (method: string, reply: object) => void
}

/** The shop's endpoint: every answer is JSON-RPC with HTTP 200, refusals included. */
export function makeServer({ shop, login, password, told }: ServeParts): Server {
  const expected = Buffer.from(`Basic ${Buffer.from(`${login}:${password}`).toString('base64')}`)
  return createServer((request, response) => {
    void answer(request).then((reply) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(reply)))
  })

  async function answer(request: IncomingMessage): Promise<object> {
    const given = Buffer.from(request.headers.authorization ?? '')
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return { error: denied, id: null }
    const call = await readCall(request)
    if (call === null) return { error: unreadable, id: null }
    const reply = shop.answer(call)
    told(call.method, reply)
    return { ...reply, id: call.id }
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
    if (length > bodyBytesMax) return null
    chunks.push(chunk)
  }
  try {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Partial<ShopCall>
    return typeof method === 'string' && typeof params === 'object' ? { id: id ?? null, method, params } : null
  } catch {
    return null
  }
}

const denied = { code: -32504, message: { ru: 'Недостаточно прав', uz: 'Ruxsat yoʻq', en: 'Access denied' } }
const unreadable = { code: -32700, message: { ru: 'Ошибка разбора', uz: 'Oʻqib boʻlmadi', en: 'Parse error' } }
const bodyBytesMax = 65_536
