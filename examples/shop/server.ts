import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { WebhookRefused, type Tessera } from '@tessera/client'

import { errorPage, myBoxesPage, orderPage, productPage, type FormSource, type Notice, type ShopPageContext } from './pages.ts'
import { handleDelivery } from './webhook.ts'
import type { ShopOrder, Records } from './records.ts'
import { fill, formatShopDay, texts, type ShopLanguage } from './texts.ts'
import type { ShopPayments } from './payments.ts'

export interface ShopServerOptions {
  readonly tessera: Pick<Tessera, 'outcome'>
  readonly payments: ShopPayments
  readonly records: Records
  readonly formSource: FormSource
  /** The origin of the shop, as buyers' browsers write it: `http://localhost:8070`. */
  readonly shopOrigin: string
  /** The secrets of the webhook endpoint. */
  readonly secrets: readonly string[]
  readonly now: () => number
  /** Whether buyers may advance the clock by a month. Only for test shops. */
  readonly isTestMode: boolean
}

/** Creates the request handler of the shop. */
export function createShopHandler(options: ShopServerOptions): RequestListener {
  const { payments, records, formSource, shopOrigin } = options
  const secure = shopOrigin.startsWith('https:') ? '; Secure' : ''
  const headers = { ...fixedHeaders, 'content-security-policy': policyOf(formSource.formOrigin) }

  return (request, response) => {
    handle(request, response).catch((err: unknown) => {
      if (err instanceof WebhookRefused) response.writeHead(400).end()
      else console.error(err)
      if (!response.headersSent) show(response, 500, errorPage(createContext(request, '/'), 'failed'))
    })
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '/', shopOrigin)
    const file = request.method === 'GET' ? files.get(url.pathname) : undefined
    if (file !== undefined) return response.writeHead(200, { ...headers, 'content-type': file.type }).end(file.bytes)
    if (request.method === 'POST' && url.pathname === '/webhooks') {
      await handleDelivery(await readBody(request), request.headers, options)
      return response.writeHead(204).end()
    }
    const id = readCookie(request, 'buyer') ?? setBuyerCookie(response)
    if (request.method === 'GET') return showPage({ request, response, url, id })
    // A form on another site can post here too, with the buyer's cookie.
    if (request.headers.origin !== shopOrigin) return show(response, 403, errorPage(createContext(request, id), 'foreign'))
    return handlePost({ request, response, url, id })
  }

  async function showPage({ request, response, url, id }: ShopRequest): Promise<unknown> {
    const language = url.searchParams.get('lang')
    if (language !== null) return chooseLanguage(response, language, url.pathname)
    const context = createContext(request, id, url.pathname)
    if (url.pathname === '/') return show(response, 200, productPage(context))
    if (url.pathname === '/mine')
      return show(response, 200, myBoxesPage(context, ordersOf(id), noticeFor(context, url.searchParams.get('notice'))))
    const { order, action } = findOrder(url, id)
    if (order === null || (action !== '' && action !== 'state')) return show(response, 404, errorPage(context, 'missing'))
    if (order.state === 'paying') await payments.refresh(order)
    if (action === 'state') return json(response, 200, { state: order.state })
    return show(response, 200, orderPage(context, order))
  }

  async function handlePost({ request, response, url, id }: ShopRequest): Promise<unknown> {
    const fields = new URLSearchParams((await readBody(request)).toString('utf8'))
    if (url.pathname === '/orders') {
      const key = fields.get('key') ?? ''
      if (!/^[0-9a-f]{24}$/.test(key)) return show(response, 400, errorPage(createContext(request, id), 'foreign'))
      const plan = fields.get('plan') === 'monthly' ? 'monthly' : 'once'
      return goTo(response, `/orders/${payments.placeOrder({ buyer: id, plan, key }).id}`)
    }
    if (url.pathname === '/card/remove') return removeCard(response, id)
    if (url.pathname === '/month' && options.isTestMode) return advanceMonth(response, id)
    const { order, action } = findOrder(url, id)
    if (order !== null && action === 'session') return createSession(response, { id, language: createContext(request, id).language })
    if (order === null || action !== 'pay') return show(response, 404, errorPage(createContext(request, id), 'missing'))
    const token = fields.get('token')
    await (token === null ? payments.payWithSavedCard(order) : payments.payWithToken(order, token))
    return goTo(response, `/orders/${order.id}`)
  }

  /** Creates a form session for a checkout page: 15 minutes, five attempts. */
  async function createSession(response: ServerResponse, { id, language }: { id: string; language: ShopLanguage }): Promise<unknown> {
    const params = { origin: shopOrigin, customer: id, save: 'ask', locale: language, attempts: 5 } as const
    const session = await options.tessera.outcome('form.sessions.create', params)
    if (session.ok) return json(response, 200, { session: session.result.session })
    console.error(`form.sessions.create: ${session.problem.reason}`)
    return json(response, 503, {})
  }

  async function removeCard(response: ServerResponse, id: string): Promise<unknown> {
    const reason = await payments.removeCard(buyerOf(id))
    return goTo(response, `/mine?notice=${reason === null ? 'removed' : reason === 'card_in_use' ? 'removeBusy' : 'removeFailed'}`)
  }

  async function advanceMonth(response: ServerResponse, id: string): Promise<unknown> {
    const { nextBoxAt } = buyerOf(id)
    if (nextBoxAt !== null) records.clockOffsetMs += Math.max(0, nextBoxAt - options.now())
    await payments.sendBoxesDue()
    return goTo(response, '/mine?notice=passed')
  }

  function noticeFor({ language }: ShopPageContext, name: string | null): { notice: Notice; isTestMode: boolean } {
    const shopTexts = texts[language]
    const { isTestMode } = options
    if (name === 'passed')
      return { notice: { kind: 'good', text: fill(shopTexts.monthPassed, formatShopDay(options.now(), language)) }, isTestMode }
    if (name === 'removed') return { notice: { kind: 'good', text: shopTexts.removed }, isTestMode }
    const isBad = name === 'removeFailed' || name === 'removeBusy'
    return { notice: isBad ? { kind: 'bad', text: shopTexts[name] } : null, isTestMode }
  }

  function findOrder(url: URL, id: string): { order: ShopOrder | null; action: string } {
    const [, name = '', action = ''] = /^\/orders\/([0-9a-f]{16,24})(?:\/([a-z]+))?$/.exec(url.pathname) ?? []
    const order = Object.hasOwn(records.orders, name) ? records.orders[name] : undefined
    return { order: order !== undefined && order.buyer === id ? order : null, action }
  }

  function ordersOf(id: string): ShopOrder[] {
    return Object.values(records.orders)
      .filter(({ buyer }) => buyer === id)
      .sort((one, other) => other.placedAt - one.placedAt)
  }

  function buyerOf(id: string) {
    return records.buyers[id] ?? { card: null, nextBoxAt: null }
  }

  function createContext(request: IncomingMessage, id: string, path = '/'): ShopPageContext {
    const chosen = readLanguage(/(?:^|; )lang=([a-z]{2})/.exec(request.headers.cookie ?? '')?.[1])
    const accepted = (request.headers['accept-language'] ?? '').split(',').map((each) => readLanguage(each.trim().slice(0, 2)))
    return { language: chosen ?? accepted.find((each) => each !== null) ?? 'uz', path, buyer: buyerOf(id), formSource }
  }

  /** A random id: anyone who has it sees these orders. The cookie is `Secure` unless the shop runs on http. */
  function setBuyerCookie(response: ServerResponse): string {
    const id = randomBytes(16).toString('hex')
    response.setHeader('set-cookie', `buyer=${id}; HttpOnly; SameSite=Lax; Path=/; Max-Age=31536000${secure}`)
    return id
  }

  function chooseLanguage(response: ServerResponse, language: string, path: string): ServerResponse {
    const chosen = `lang=${readLanguage(language) ?? 'uz'}; SameSite=Lax; Path=/; Max-Age=31536000${secure}`
    response.appendHeader('set-cookie', chosen)
    return goTo(response, path)
  }

  function show(response: ServerResponse, status: number, body: string): ServerResponse {
    return response.writeHead(status, { ...headers, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(body)
  }

  function json(response: ServerResponse, status: number, body: object): ServerResponse {
    return response
      .writeHead(status, { ...headers, 'content-type': 'application/json', 'cache-control': 'no-store' })
      .end(JSON.stringify(body))
  }

  function goTo(response: ServerResponse, path: string): ServerResponse {
    // Only a path on this host: `//elsewhere` would be another host.
    return response.writeHead(303, { ...headers, location: path.replace(/^\/+/, '/') }).end()
  }
}

interface ShopRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  /** The buyer's id. */
  readonly id: string
}

/**
 * The Content-Security-Policy of every page: the shop's own scripts and the SDK, no frame but the form's, no inline script or style. The SDK
 * needs nothing else.
 */
function policyOf(formOrigin: string): string {
  const own = "default-src 'none'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'"
  const form = `script-src 'self' ${formOrigin}; frame-src ${formOrigin}; frame-ancestors 'none'`
  return `${own}; ${form}; require-trusted-types-for 'script'; trusted-types 'none'`
}

const fixedHeaders = {
  'x-content-type-options': 'nosniff',
  // Not no-referrer: browsers would then send `Origin: null` with the shop's own forms.
  'referrer-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
}

const files = new Map(
  [
    ['/shop.css', 'text/css; charset=utf-8'],
    ['/checkout.js', 'text/javascript; charset=utf-8'],
    ['/box.svg', 'image/svg+xml'],
  ].map(([path = '', type = '']) => [path, { type, bytes: readFileSync(new URL(`public${path}`, import.meta.url)) }]),
)

function readCookie(request: IncomingMessage, name: string): string | null {
  return new RegExp(`(?:^|; )${name}=([0-9a-f]{32})(?:;|$)`).exec(request.headers.cookie ?? '')?.[1] ?? null
}

function readLanguage(text: string | undefined): ShopLanguage | null {
  return text === 'uz' || text === 'ru' || text === 'en' ? text : null
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBodyBytes) throw new WebhookRefused('longer than any request to this shop')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const maxBodyBytes = 64 * 1024
