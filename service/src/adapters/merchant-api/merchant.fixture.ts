import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createMerchantServer } from '../../../../examples/merchant-endpoint/server.ts'
import { createShop, type Order, type Shop } from '../../../../examples/merchant-endpoint/shop.ts'
import type { Clock } from '../../clock.ts'
import { makeAddressGuard, resolveBySystem } from '../http/address-guard.ts'

import type { MerchantApi } from './merchant-api.ts'
import { createPaymeMerchantApi } from './payme.ts'

/** A fault of the merchant's server, or of the connection to it. */
export type Fault =
  'lose_request' | 'lose_answer' | 'silent' | 'refuse' | 'system_error' | 'garbage' | 'redirect' | 'huge' | 'http_500' | 'empty'

/** The example shop behind real HTTP, with injectable faults. */
export interface FaultyMerchant {
  readonly shop: Shop
  readonly url: string
  /** The methods that were called, in order, including those of lost requests. */
  readonly calls: { method: string; params: Record<string, unknown> }[]
  /** By method. */
  readonly faults: Map<string, Fault>
  /** By method, for the next call only. */
  readonly faultsOnce: Map<string, Fault>
  /** The target of redirects. */
  elsewhere: string
  close(): Promise<void>
}

export const merchantLogin = { login: 'Paycom', password: 'a:key with {odd} signs' }

export interface FaultyMerchantOptions {
  readonly findOrder: (orderId: string) => Order | null
  readonly now: () => number
}

export async function startMerchant({ findOrder, now }: FaultyMerchantOptions): Promise<FaultyMerchant> {
  const shop = createShop({ findOrder, now })
  const inside = createMerchantServer({ shop, ...merchantLogin, onCall: () => undefined })
  const inner = await listen(inside)
  const outer = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const call = JSON.parse(body) as FaultyMerchant['calls'][number]
      merchant.calls.push(call)
      const fault = merchant.faultsOnce.get(call.method) ?? merchant.faults.get(call.method)
      merchant.faultsOnce.delete(call.method)
      const forward = () => fetch(inner, { method: 'POST', body, headers: { authorization: request.headers.authorization ?? '' } })
      void respondWithFault(fault, { response, forward, elsewhere: merchant.elsewhere })
    })
  })
  const merchant: FaultyMerchant = {
    shop,
    url: await listen(outer),
    calls: [],
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

/** The adapter as createServices builds it, with this merchant as the endpoint of every merchant. */
export function endpointTo(find: () => Pick<FaultyMerchant, 'url'> | null, clock: Clock): MerchantApi {
  const guard = makeAddressGuard({ resolve: resolveBySystem, allowLoopback: true })
  const addressOf = async () => {
    const target = find()
    return target === null ? null : { url: new URL(target.url), ...merchantLogin }
  }
  return createPaymeMerchantApi({ find: addressOf, hasEndpoint: async () => find() !== null, guard, clock })
}

interface FaultContext {
  readonly response: ServerResponse
  readonly forward: () => Promise<Response>
  readonly elsewhere: string
}

async function respondWithFault(fault: Fault | undefined, { response, forward, elsewhere }: FaultContext): Promise<unknown> {
  const respond = (status: number, body: string, headers = {}) => response.writeHead(status, headers).end(body)
  if (fault === 'silent') return null
  if (fault === 'lose_request') return response.destroy()
  if (fault === 'refuse') return respond(200, JSON.stringify({ id: 1, error: { code: -31008, message: { ru: 'Н', uz: 'Y', en: 'No' } } }))
  if (fault === 'system_error') return respond(200, JSON.stringify({ id: 1, error: { code: -32400, message: 'down' } }))
  if (fault === 'garbage') return respond(200, '<html>{"result":{"allow":true}}')
  if (fault === 'empty') return respond(200, '{}')
  if (fault === 'redirect') return respond(307, '', { location: elsewhere })
  if (fault === 'http_500') return respond(500, '{"result":{"allow":true,"state":2}}')
  if (fault === 'huge') return respond(200, `{"result":{"allow":true,"state":2,"more":"${'x'.repeat(100_000)}"}}`)
  const text = await (await forward()).text()
  if (fault === 'lose_answer') return response.destroy()
  return respond(200, text)
}

async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`
}
