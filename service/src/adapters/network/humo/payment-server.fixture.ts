// A double of Humo's REST and SOAP services: a ledger behind an HTTP server on loopback, whose replies have the recorded shapes of
// conformance/networks/humo.json. It stands for the processing centre, which no test can reach. What it does with repeated and unknown payments is an
// assumption, and was seen at no real host.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { readRecordedCalls } from '../recorded-shapes.fixture.ts'

/** What becomes of a call that has taken effect: its reply is sent, lost, withheld until `release`, or changed. */
export type HumoFault = 'none' | 'lost' | 'late' | { readonly status: number; readonly body: string } | ((body: string) => string)

interface HumoPayment {
  readonly paymentID: string
  readonly pan: string
  amount: number
  state: 'held' | 'confirmed' | 'cancelled' | 'returned'
}

export async function startHumo(options: { readonly goodPan: string }) {
  const recorded = new Map(readRecordedCalls('humo').map((call) => [call.method, call.result]))
  const payments = new Map<string, HumoPayment>()
  const received: { readonly method: string; readonly body: string }[] = []
  const waiting: (() => void)[] = []
  const withheld = Promise.withResolvers<undefined>()
  const host = { faults: new Map<string, HumoFault>(), authorizations: new Set<string>() }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      host.authorizations.add(String(request.headers.authorization))
      const body = Buffer.concat(chunks).toString()
      const method = request.url === '/info/v3/iiacs/card' ? '/v3/iiacs/card' : methodOf(body)
      received.push({ method, body })
      send(response, method, method === '/v3/iiacs/card' ? cardInfo(body) : soap(method, body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  return {
    host,
    received,
    cardUrl: new URL(`${origin}/info/`),
    paymentUrl: new URL(`${origin}/payment`),
    /** Resolves when the first reply is withheld. */
    withheld: withheld.promise,
    /** Sends the replies that were withheld. */
    release: () => {
      for (const send of waiting.splice(0)) send()
    },
    debitedTiyin: () =>
      [...payments.values()].filter(({ state }) => state === 'held' || state === 'confirmed').reduce((sum, { amount }) => sum + amount, 0),
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }

  function send(response: ServerResponse, method: string, reply: { readonly status: number; readonly body: string }): void {
    const fault = host.faults.get(method) ?? 'none'
    host.faults.delete(method)
    if (fault === 'lost') return void response.destroy()
    const { status, body } =
      typeof fault === 'object' ? fault : { ...reply, body: typeof fault === 'function' ? fault(reply.body) : reply.body }
    const reallySend = (): void => void response.writeHead(status).end(body)
    if (fault === 'late') {
      waiting.push(reallySend)
      withheld.resolve(undefined)
    } else {
      reallySend()
    }
  }

  function cardInfo(body: string): { status: number; body: string } {
    const { id, params } = JSON.parse(body) as { readonly id: string; readonly params: { readonly primaryAccountNumber: string } }
    const isKnown = params.primaryAccountNumber === options.goodPan
    const reply = isKnown ? { id, result: recorded.get('/v3/iiacs/card') } : { id, error: { code: 404, message: 'Card not found' } }
    return { status: 200, body: JSON.stringify(reply) }
  }

  function soap(method: string, body: string): { status: number; body: string } {
    const ref = textOf(body, 'paymentRef')
    const payment = payments.get(ref)
    if (method === 'payment.create') return create(ref, body)
    if (payment === undefined) return fault('-1')
    const { state } = payment
    if (method === 'payment.status') return reply(method, ref)
    if (method === 'payment.confirm') {
      if (state === 'cancelled' || state === 'returned') return fault('-1')
      if (state === 'held') Object.assign(payment, { state: 'confirmed', amount: Number(itemOf(body, 'amount')) })
      return reply(method, ref)
    }
    const [from, to] = method === 'payment.cancel' ? (['held', 'cancelled'] as const) : (['confirmed', 'returned'] as const)
    if (state !== from && state !== to) return fault('-1')
    payment.state = to
    return reply(method, ref)
  }

  function create(ref: string, body: string): { status: number; body: string } {
    if (itemOf(body, 'pan') !== options.goodPan) return fault('116')
    const paymentID = String(1_111_111 + payments.size)
    const known = payments.get(ref)
    if (known === undefined) payments.set(ref, { paymentID, pan: options.goodPan, amount: Number(itemOf(body, 'amount')), state: 'held' })
    return reply(known?.state === 'confirmed' ? 'payment.confirm' : 'payment.create', ref)
  }

  function reply(method: string, ref: string): { status: number; body: string } {
    const { paymentID = '', pan = '', amount = 0, state = '' } = payments.get(ref) ?? {}
    const refunded = state === 'returned' ? amount : 0
    return envelope(200, method, { paymentID, pan, amount, refunded, remaining: amount - refunded, paymentRef: ref })
  }

  function fault(error: string): { status: number; body: string } {
    return envelope(500, 'fault', { error })
  }

  function envelope(status: number, method: string, values: Readonly<Record<string, string | number>>): { status: number; body: string } {
    const inner = String(recorded.get(method)).replaceAll(/\{(\w+)\}/g, (_all, name: string) => String(values[name] ?? ''))
    const spaces = 'xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/" xmlns:ebppif1="urn:PaymentServer"'
    return { status, body: `<?xml version="1.0"?><SOAP-ENV:Envelope ${spaces}><SOAP-ENV:Body>${inner}</SOAP-ENV:Body></SOAP-ENV:Envelope>` }
  }
}

/** The elements of a request in their order, with the text of those whose text is fixed. */
export function listElements(xml: string): string[] {
  return [...xml.matchAll(/<(?:\w+:)?(\w+)(?:\s[^>]*)?(?:\/>|>([^<]*))/g)].map(([, name = '', text = '']) =>
    fixedTexts.has(name) ? `${name}=${text}` : name,
  )
}

const fixedTexts: ReadonlySet<string> = new Set(['name', 'billerRef', 'payinstrRef', 'confirmed', 'finished'])

function methodOf(body: string): string {
  if (body.includes('<urn:Payment>')) return body.includes('<confirmed>') ? 'payment.confirm' : 'payment.create'
  return body.includes('<urn:GetPayment>') ? 'payment.status' : body.includes('<urn:CancelRequest>') ? 'payment.cancel' : 'payment.return'
}

function textOf(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)<`).exec(xml)?.[1] ?? ''
}

function itemOf(xml: string, name: string): string {
  return new RegExp(`<name>${name}</name><value>([^<]*)<`).exec(xml)?.[1] ?? ''
}
