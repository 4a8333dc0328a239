import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createMerchantServer } from '../../../../examples/merchant-endpoint/server.ts'
import { createShop, type Order, type Shop } from '../../../../examples/merchant-endpoint/shop.ts'
import type { Clock } from '../../clock.ts'
import { makeAddressGuard, resolveBySystem } from '../http/address-guard.ts'

import type { MerchantApi } from './merchant-api.ts'
import { createPaymeMerchantApi } from './payme.ts'

/** What goes wrong between us and the merchant, or in it. */
export type Fault =
  'lose_request' | 'lose_answer' | 'silent' | 'refuse' | 'system_error' | 'garbage' | 'redirect' | 'huge' | 'http_500' | 'empty'

/** The example shop behind real HTTP, with switches for what may go wrong. */
export interface FaultyMerchant {
  readonly shop: Shop
  readonly url: string
  /** The methods that were called, in order, including those of lost requests. */
  readonly heard: { method: string; params: Record<string, unknown> }[]
  /** By method; none at the start. */
  readonly faults: Map<string, Fault>
  /** By method, the next time only. */
  readonly faultsOnce: Map<string, Fault>
  /** The target of redirects. */
  elsewhere: string
  close(): Promise<void>
}

export const merchantLogin = { login: 'Paycom', password: 'a:key with {odd} signs' }

export interface FaultyMerchantParts {
  readonly findOrder: (orderId: string) => Order | null
  readonly now: () => number
}

export async function startMerchant({ findOrder, now }: FaultyMerchantParts): Promise<FaultyMerchant> {
  const shop = createShop({ findOrder, now })
  const inside = createMerchantServer({ shop, ...merchantLogin, onCall: () => undefined })
  const inner = await listen(inside)
  const outer = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const call = JSON.parse(body) as FaultyMerchant['heard'][number]
      merchant.heard.push(call)
      const fault = merchant.faultsOnce.get(call.method) ?? merchant.faults.get(call.method)
      merchant.faultsOnce.delete(call.method)
      const pass = () => fetch(inner, { method: 'POST', body, headers: { authorization: request.headers.authorization ?? '' } })
      void strike(fault, { response, pass, elsewhere: merchant.elsewhere })
    })
  })
  const merchant: FaultyMerchant = {
    shop,
    url: await listen(outer),
    heard: [],
    faults: new Map(),
    faultsOnce: new Map(),
    elsewhere: '',
    async close() {
      for (const server of [outer, inside]) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
  return merchant
}

/** The adapter as createServices builds it, with this merchant as everybody's endpoint. */
export function endpointTo(find: () => Pick<FaultyMerchant, 'url'> | null, clock: Clock): MerchantApi {
  const guard = makeAddressGuard({ resolve: resolveBySystem, loopback: true })
  const addressOf = async () => {
    const found = find()
    return found === null ? null : { url: new URL(found.url), ...merchantLogin }
  }
  return createPaymeMerchantApi({ find: addressOf, isSet: async () => find() !== null, guard, clock })
}

interface Striking {
  readonly response: ServerResponse
  readonly pass: () => Promise<Response>
  readonly elsewhere: string
}

async function strike(fault: Fault | undefined, { response, pass, elsewhere }: Striking): Promise<unknown> {
  const say = (status: number, body: string, headers = {}) => response.writeHead(status, headers).end(body)
  if (fault === 'silent') return null
  if (fault === 'lose_request') return response.destroy()
  if (fault === 'refuse') return say(200, JSON.stringify({ id: 1, error: { code: -31008, message: { ru: 'Н', uz: 'Y', en: 'No' } } }))
  if (fault === 'system_error') return say(200, JSON.stringify({ id: 1, error: { code: -32400, message: 'down' } }))
  if (fault === 'garbage') return say(200, '<html>{"result":{"allow":true}}')
  if (fault === 'empty') return say(200, '{}')
  if (fault === 'redirect') return say(307, '', { location: elsewhere })
  if (fault === 'http_500') return say(500, '{"result":{"allow":true,"state":2}}')
  if (fault === 'huge') return say(200, `{"result":{"allow":true,"state":2,"more":"${'x'.repeat(100_000)}"}}`)
  const text = await (await pass()).text()
  if (fault === 'lose_answer') return response.destroy()
  return say(200, text)
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`
}
