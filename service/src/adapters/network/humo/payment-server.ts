import type { Pan } from '@tessera/contract/card'

import type { HttpClient } from '../../http/http-post.ts'
import { encodeBodyWithPan, wipeCardNumbers } from '../pan-body.ts'

/**
 * `response`: the element that belongs to the request, as text without card numbers. `fault`: the host refused, with the error of its exception ('' without
 * one). `notReached`: there was no connection, so that it cannot have seen the request. `notProcessed`: it refused the request before it read it. `noReply`: it
 * may have taken it.
 */
export type PaymentServerReply =
  | { readonly kind: 'response'; readonly xml: string }
  | { readonly kind: 'fault'; readonly error: string }
  | { readonly kind: 'notReached' }
  | { readonly kind: 'notProcessed' }
  | { readonly kind: 'noReply' }

export interface PaymentServerOptions {
  readonly url: URL
  readonly username: string
  readonly password: string
  readonly originator: string
  readonly request: HttpClient
}

/** A request of `urn:PaymentServer`: the name of its element, and what is in it before `paymentOriginator`. */
export interface PaymentServerCall {
  readonly element: 'Payment' | 'GetPayment' | 'CancelRequest' | 'ReturnPayment'
  readonly content: string
  readonly pan?: Pan
}

/** Calls the SOAP host with basic authentication. Never throws. The card number is wiped from the request and from the reply. */
export function makePaymentServer({ url, username, password, originator, request }: PaymentServerOptions) {
  const headers = {
    authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    'content-type': 'text/xml; charset=utf-8',
    soapaction: '""',
  }
  return async function call({ element, content, pan }: PaymentServerCall, signal: AbortSignal): Promise<PaymentServerReply> {
    const inner = `<urn:${element}>${content}${xmlElement('paymentOriginator', originator)}</urn:${element}>`
    const text = `<?xml version="1.0" encoding="UTF-8"?><soapenv:Envelope ${namespaces}><soapenv:Body>${inner}</soapenv:Body></soapenv:Envelope>`
    const body = pan === undefined ? Buffer.from(text) : encodeBodyWithPan(text, pan)
    try {
      const result = await request({ method: 'POST', url, headers, body }, signal)
      if (result.outcome !== 'responded') return { kind: result.mayHaveArrived === false ? 'notReached' : 'noReply' }
      if (notProcessed.has(result.status)) return { kind: 'notProcessed' }
      return result.body === null ? { kind: 'noReply' } : parseReply(result.body, element)
    } finally {
      body.fill(0)
    }
  }
}

function parseReply(bytes: Uint8Array, element: string): PaymentServerReply {
  wipeCardNumbers(bytes)
  const xml = Buffer.from(bytes).toString('utf8')
  const [, found, isEmpty, inner] =
    new RegExp(`<(?:[\\w-]+:)?(${element}Response|Fault)(?:\\s[^>]*?)?(?:(/)>|>(.*?)</(?:[\\w-]+:)?\\1>)`, 's').exec(xml) ?? []
  if (found === undefined) return { kind: 'noReply' }
  if (found === 'Fault') return { kind: 'fault', error: readElement(inner ?? '', 'error') ?? '' }
  return { kind: 'response', xml: isEmpty === undefined ? (inner ?? '') : '' }
}

/** The text of the first element with this name; null when there is none. Only for values without markup, such as ids and amounts. */
export function readElement(xml: string, name: string): string | null {
  return new RegExp(`<(?:[\\w-]+:)?${name}(?:\\s[^>]*)?>([^<]*)</`).exec(xml)?.[1]?.trim() ?? null
}

/** The value of a member of `details`; null when there is none. */
export function readDetail(xml: string, name: string): string | null {
  return new RegExp(`<name>\\s*${name}\\s*</name>\\s*<value>([^<]*)</value>`).exec(xml)?.[1]?.trim() ?? null
}

export function xmlElement(name: string, text: string): string {
  return `<${name}>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</${name}>`
}

export function xmlItems(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => `<item>${xmlElement('name', name)}${xmlElement('value', value)}</item>`)
    .join('')
}

const namespaces = 'xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:urn="urn:PaymentServer"'
/** HTTP statuses with which a server or a proxy refuses a request before its content is read. */
const notProcessed: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 411, 413, 415])
