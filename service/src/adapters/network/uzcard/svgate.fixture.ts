// A double of Uzcard's JSON-RPC host: a ledger behind an HTTP server on loopback, whose replies have the recorded shapes of conformance/networks/uzcard.json.
// It stands for the processing centre, which no test can reach. What it does with repeats, late calls and reversals is our reading of the public error
// codes, and was seen at no real host.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { readRecordedCalls } from '../recorded-shapes.fixture.ts'

export interface SvgateRequest {
  readonly method: string
  readonly params: SvgateParams
}

/** Each method has some of these. */
export interface SvgateParams {
  readonly card?: { readonly pan: string }
  readonly otp?: { readonly code: string }
  readonly hpan?: string
  readonly extId?: string
  readonly tranId?: string
  readonly tran?: Readonly<Record<string, unknown>>
  readonly hold?: Readonly<Record<string, unknown>>
}

/** What becomes of a call that has taken effect: it is answered, its reply is lost, its reply waits for `release`, or other bytes are sent. */
export type SvgateFault = 'none' | 'lost' | 'late' | { readonly status: number; readonly body: string } | ((result: unknown) => unknown)

interface Transaction {
  readonly ext: string
  readonly refNum: string
  readonly amount: number
  isReversed: boolean
}

export const svgateCode = '123456'

export async function startSvgate(options: { readonly goodPan: string; readonly poorPan: string }) {
  const recorded = new Map(readRecordedCalls('uzcard').map((call) => [call.method, call]))
  const transactions: Transaction[] = []
  const holds = new Map<string, { readonly amount: number; isHeld: boolean }>()
  const received: SvgateRequest[] = []
  const waiting: (() => void)[] = []
  const withheld = Promise.withResolvers<undefined>()
  const host = {
    /** Of the next call of a method, once. */
    faults: new Map<string, SvgateFault>(),
    authorizations: new Set<string>(),
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      host.authorizations.add(String(request.headers.authorization))
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as SvgateRequest & { readonly id: string }
      received.push({ method, params })
      send(response, id, method, answer(method, params))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    host,
    received,
    url: new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/api`),
    /** Resolves when the first reply is withheld. */
    withheld: withheld.promise,
    /** Sends the replies that were withheld. */
    release: () => {
      for (const send of waiting.splice(0)) send()
    },
    debitedTiyin: () => {
      const taken = transactions.filter(({ isReversed }) => !isReversed).reduce((sum, { amount }) => sum + amount, 0)
      return [...holds.values()].filter(({ isHeld }) => isHeld).reduce((sum, { amount }) => sum + amount, taken)
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }

  function send(response: ServerResponse, id: string, method: string, reply: unknown): void {
    const fault = host.faults.get(method) ?? 'none'
    host.faults.delete(method)
    if (fault === 'lost') return void response.destroy()
    const changed = typeof fault === 'function' && !isError(reply) ? fault(reply) : reply
    const text = JSON.stringify({ jsonrpc: '2.0', id, ...(isError(changed) ? changed : { result: changed }) })
    const [status, body] = typeof fault === 'object' ? [fault.status, fault.body] : [200, text]
    const reallySend = (): void => void response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    if (fault === 'late') {
      waiting.push(reallySend)
      withheld.resolve(undefined)
    } else {
      reallySend()
    }
  }

  function answer(method: string, params: SvgateParams): unknown {
    switch (method) {
      case 'cards.new.otp':
        return known(params.card?.pan) ? resultOf(method) : svgateError(-200)
      case 'cards.new.verify':
        return params.otp?.code === svgateCode ? resultOf(method) : svgateError(-269)
      case 'p2p.info':
        return known(params.hpan) ? { ...resultOf(method), CARDID: toCardId(params.hpan ?? '') } : svgateError(-200)
      case 'trans.pay.purpose':
        return pay(params.tran ?? {})
      case 'trans.ext':
        return find(params.extId ?? '')
      case 'trans.reverse':
        return reverse(params.tranId ?? '')
      case 'hold.create':
        return hold(params.hold ?? {})
      case 'hold.dismiss':
        return dismiss(String(params.hold?.['holdId'])) ? resultOf(method) : svgateError(-242)
      case 'hold.dismiss.charge':
        return charge(params.hold ?? {})
      default:
        return svgateError(-199)
    }
  }

  function pay({ cardId, ext, amount }: Readonly<Record<string, unknown>>): unknown {
    if (transactions.some((each) => each.ext === ext)) return svgateError(-207)
    if (cardId !== toCardId(options.goodPan)) return svgateError(-240)
    return take('trans.pay.purpose', String(ext), Number(amount))
  }

  function take(method: string, ext: string, amount: number): unknown {
    const refNum = String(9_980_470_591 + transactions.length).padStart(12, '0')
    transactions.push({ ext, refNum, amount, isReversed: false })
    return { ...resultOf(method), ext, refNum, amount }
  }

  function find(ext: string): unknown {
    const transaction = transactions.find((each) => each.ext === ext)
    if (transaction === undefined) return svgateError(-208)
    if (transaction.isReversed) return svgateError(-282)
    const { refNum, amount } = transaction
    return { ...resultOf('trans.ext'), ext, refNum, amount }
  }

  function reverse(refNum: string): unknown {
    const transaction = transactions.find((each) => each.refNum === refNum)
    if (transaction === undefined) return svgateError(-282)
    if (transaction.isReversed) return svgateError(-389)
    transaction.isReversed = true
    return [{ ...resultOf('trans.reverse'), ext: transaction.ext, refNum, amount: transaction.amount }]
  }

  function hold({ cardId, amount }: Readonly<Record<string, unknown>>): unknown {
    if (cardId !== toCardId(options.goodPan)) return svgateError(-239)
    const id = 136_049 + holds.size
    holds.set(String(id), { amount: Number(amount), isHeld: true })
    return { ...resultOf('hold.create'), id }
  }

  function dismiss(holdId: string): boolean {
    const found = holds.get(holdId)
    if (found?.isHeld !== true) return false
    found.isHeld = false
    return true
  }

  function charge({ holdId, ext, amount }: Readonly<Record<string, unknown>>): unknown {
    if (transactions.some((each) => each.ext === ext)) return svgateError(-207)
    return dismiss(String(holdId)) ? take('hold.dismiss.charge', String(ext), Number(amount)) : svgateError(-242)
  }

  function known(pan: string | undefined): boolean {
    return pan === options.goodPan || pan === options.poorPan
  }

  function resultOf(method: string): Readonly<Record<string, unknown>> {
    const result = recorded.get(method)?.result
    return (Array.isArray(result) ? result[0] : result) as Readonly<Record<string, unknown>>
  }
}

export function svgateError(code: number): { readonly error: { readonly code: number; readonly message: string } } {
  return { error: { code, message: 'of the double' } }
}

function isError(reply: unknown): reply is { readonly error: unknown } {
  return typeof reply === 'object' && reply !== null && 'error' in reply
}

function toCardId(pan: string): string {
  return Buffer.from(`card of ${pan}`).toString('hex').slice(0, 32).toUpperCase().replace(/.{4}$/, pan.slice(-4))
}
