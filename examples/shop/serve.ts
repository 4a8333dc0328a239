import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { WebhookRefused, type Tessera } from '@tessera/client'

import { minePage, orderPage, plainPage, productPage, type FormPlace, type Looking, type Note } from './pages.ts'
import { receive } from './receive.ts'
import type { Order, Records } from './records.ts'
import { fill, tellDay, texts, type Language } from './texts.ts'
import type { Till } from './till.ts'

export interface ShopParts {
  readonly tessera: Pick<Tessera, 'outcome'>
  readonly till: Till
  readonly records: Records
  readonly place: FormPlace
  /** Where the shop is, as its buyers' browsers write it: `http://localhost:8070`. */
  readonly shopOrigin: string
  /** Of the webhook endpoint. */
  readonly secrets: readonly string[]
  readonly now: () => number
  /** Whether buyers may let a month pass: in a test shop alone. */
  readonly rehearses: boolean
}

/** The whole shop over HTTP. */
export function serveShop(parts: ShopParts): RequestListener {
  const { till, records, place, shopOrigin } = parts
  const secure = shopOrigin.startsWith('https:') ? '; Secure' : ''
  const headers = { ...fixedHeaders, 'content-security-policy': policyOf(place.formOrigin) }

  return (request, response) => {
    answer(request, response).catch((err: unknown) => {
      if (err instanceof WebhookRefused) response.writeHead(400).end()
      else console.error(err)
      if (!response.headersSent) show(response, 500, plainPage(look(request, '/'), 'failed'))
    })
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '/', shopOrigin)
    const file = request.method === 'GET' ? files.get(url.pathname) : undefined
    if (file !== undefined) return response.writeHead(200, { ...headers, 'content-type': file.type }).end(file.bytes)
    if (request.method === 'POST' && url.pathname === '/webhooks') {
      await receive(await readBody(request), request.headers, parts)
      return response.writeHead(204).end()
    }
    const id = readCookie(request, 'buyer') ?? greet(response)
    if (request.method === 'GET') return showPage({ request, response, url, id })
    // A form of another site may post here too, with the buyer's cookie.
    if (request.headers.origin !== shopOrigin) return show(response, 403, plainPage(look(request, id), 'foreign'))
    return act({ request, response, url, id })
  }

  async function showPage({ request, response, url, id }: Asked): Promise<unknown> {
    const language = url.searchParams.get('lang')
    if (language !== null) return chooseLanguage(response, language, url.pathname)
    const looking = look(request, id, url.pathname)
    if (url.pathname === '/') return show(response, 200, productPage(looking))
    if (url.pathname === '/mine') return show(response, 200, minePage(looking, ordersOf(id), told(looking, url.searchParams.get('told'))))
    const { order, deed } = findOrder(url, id)
    if (order === null || (deed !== '' && deed !== 'state')) return show(response, 404, plainPage(looking, 'missing'))
    if (order.state === 'paying') await till.settle(order)
    if (deed === 'state') return json(response, 200, { state: order.state })
    return show(response, 200, orderPage(looking, order))
  }

  async function act({ request, response, url, id }: Asked): Promise<unknown> {
    const fields = new URLSearchParams((await readBody(request)).toString('utf8'))
    if (url.pathname === '/orders') {
      const key = fields.get('key') ?? ''
      if (!/^[0-9a-f]{24}$/.test(key)) return show(response, 400, plainPage(look(request, id), 'foreign'))
      const plan = fields.get('plan') === 'monthly' ? 'monthly' : 'once'
      return goTo(response, `/orders/${till.place({ buyer: id, plan, key }).id}`)
    }
    if (url.pathname === '/card/remove') return removeCard(response, id)
    if (url.pathname === '/month' && parts.rehearses) return letMonthPass(response, id)
    const { order, deed } = findOrder(url, id)
    if (order !== null && deed === 'session') return openSession(response, { id, language: look(request, id).language })
    if (order === null || deed !== 'pay') return show(response, 404, plainPage(look(request, id), 'missing'))
    const token = fields.get('token')
    await (token === null ? till.payWithKeptCard(order) : till.payWithToken(order, token))
    return goTo(response, `/orders/${order.id}`)
  }

  /** Leave for one page of ours to take a card: 15 minutes, five cards. */
  async function openSession(response: ServerResponse, { id, language }: { id: string; language: Language }): Promise<unknown> {
    const params = { origin: shopOrigin, customer: id, save: 'ask', locale: language, attempts: 5 } as const
    const opened = await parts.tessera.outcome('form.sessions.create', params)
    if (opened.ok) return json(response, 200, { session: opened.result.session })
    console.error(`form.sessions.create: ${opened.problem.reason}`)
    return json(response, 503, {})
  }

  async function removeCard(response: ServerResponse, id: string): Promise<unknown> {
    const reason = await till.removeCard(buyerOf(id))
    return goTo(response, `/mine?told=${reason === null ? 'removed' : reason === 'card_in_use' ? 'removeBusy' : 'removeFailed'}`)
  }

  async function letMonthPass(response: ServerResponse, id: string): Promise<unknown> {
    const { nextBoxAt } = buyerOf(id)
    if (nextBoxAt !== null) records.clockMs += Math.max(0, nextBoxAt - parts.now())
    await till.sendBoxesDue()
    return goTo(response, '/mine?told=passed')
  }

  function told({ language }: Looking, word: string | null): { note: Note; rehearses: boolean } {
    const words = texts[language]
    const { rehearses } = parts
    if (word === 'passed') return { note: { kind: 'good', text: fill(words.passed, tellDay(parts.now(), language)) }, rehearses }
    if (word === 'removed') return { note: { kind: 'good', text: words.removed }, rehearses }
    const isBad = word === 'removeFailed' || word === 'removeBusy'
    return { note: isBad ? { kind: 'bad', text: words[word] } : null, rehearses }
  }

  function findOrder(url: URL, id: string): { order: Order | null; deed: string } {
    const [, name = '', deed = ''] = /^\/orders\/([0-9a-f]{16,24})(?:\/([a-z]+))?$/.exec(url.pathname) ?? []
    const order = Object.hasOwn(records.orders, name) ? records.orders[name] : undefined
    return { order: order !== undefined && order.buyer === id ? order : null, deed }
  }

  function ordersOf(id: string): Order[] {
    return Object.values(records.orders)
      .filter(({ buyer }) => buyer === id)
      .sort((one, other) => other.placedAt - one.placedAt)
  }

  function buyerOf(id: string) {
    return records.buyers[id] ?? { card: null, nextBoxAt: null }
  }

  function look(request: IncomingMessage, id: string, path = '/'): Looking {
    const chosen = readLanguage(/(?:^|; )lang=([a-z]{2})/.exec(request.headers.cookie ?? '')?.[1])
    const asked = (request.headers['accept-language'] ?? '').split(',').map((each) => readLanguage(each.trim().slice(0, 2)))
    return { language: chosen ?? asked.find((each) => each !== null) ?? 'uz', path, buyer: buyerOf(id), place }
  }

  /** A name nobody guesses: whoever has it sees these orders. `Secure` wherever the shop is not on this machine. */
  function greet(response: ServerResponse): string {
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
    // A path of ours alone: `//elsewhere` would be another host.
    return response.writeHead(303, { ...headers, location: path.replace(/^\/+/, '/') }).end()
  }
}

interface Asked {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  /** Of the buyer. */
  readonly id: string
}

/**
 * Content-Security-Policy of every page: scripts of ours and the SDK, a frame of the form and of nobody else, no inline script or style. The SDK
 * needs no more.
 */
function policyOf(formOrigin: string): string {
  const own = "default-src 'none'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'"
  const form = `script-src 'self' ${formOrigin}; frame-src ${formOrigin}; frame-ancestors 'none'`
  return `${own}; ${form}; require-trusted-types-for 'script'; trusted-types 'none'`
}

const fixedHeaders = {
  'x-content-type-options': 'nosniff',
  // Not no-referrer: a browser would then write `Origin: null` on our own forms.
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

function readLanguage(text: string | undefined): Language | null {
  return text === 'uz' || text === 'ru' || text === 'en' ? text : null
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > bodyBytesMax) throw new WebhookRefused('longer than anything that is sent here')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const bodyBytesMax = 64 * 1024
