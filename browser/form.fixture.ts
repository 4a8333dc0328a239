import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import assert from 'node:assert/strict'
import { chromium, type Browser, type FrameLocator, type Page } from 'playwright-core'

import { buildBrowser } from '../tools/browser/build.ts'
import { chromiumFlags, findChromium } from '../tools/chromium.ts'
import { startTessera, type StartedTessera } from '../tools/start-tessera.ts'

/** A service, the form on an origin before it, a shop on another origin, and a browser. */
export interface Stage {
  readonly browser: Browser
  readonly formOrigin: string
  readonly shopOrigin: string
  readonly merchant: string
  /** Every call that the form made to the service, by method. */
  readonly calls: string[]
  /** Opens a page of the shop with one form in it; `said` collects the form's events. */
  open: (options?: OpenOptions) => Promise<Opened>
  stop: () => Promise<void>
}

export interface OpenOptions {
  readonly options?: object
  readonly page?: Parameters<Browser['newPage']>[0]
  readonly headers?: Readonly<Record<string, string>>
}

export interface Opened {
  readonly page: Page
  readonly form: FrameLocator
  said: (event: string) => Promise<unknown[]>
}

export async function startStage(root: string): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'tessera-form-'))
  await buildBrowser(root, folder)
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8')
  const [tessera, executablePath] = [await startTessera(), findChromium()]
  assert.ok(executablePath, 'Chromium is missing: npm test installs it, or say apt-get install chromium')
  const browser = await chromium.launch({ executablePath, args: chromiumFlags() })
  const calls: string[] = []
  const pages = new Map<string, Readonly<Record<string, string>>>()
  const front = await listen((request, reply) => {
    const url = new URL(request.url ?? '/', 'http://form')
    if (url.pathname.startsWith('/api')) return void pass(tessera, request, reply, calls)
    if (url.pathname.startsWith('/sdk/v1/')) {
      reply.writeHead(200, {
        'content-type': 'text/javascript',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
      })
      return reply.end(read(url.pathname.slice('/sdk/v1/'.length)))
    }
    sendForm(reply, {
      script: read('frame.js'),
      style: read('frame.css'),
      merchant: tessera.merchantId,
      origin: url.searchParams.get('origin') ?? '',
    })
  })
  const shop = await listen((request, reply) => {
    reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...pages.get(request.url ?? '/') })
    const origin = originOf(front)
    reply.end(
      `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title><body style="margin:16px;max-width:440px"><h1>Shop</h1><div id="card"></div><script src="${origin}/sdk/v1/tessera.js"></script>`,
    )
  })
  const [formOrigin, shopOrigin] = [originOf(front), originOf(shop, 'localhost')]
  return {
    ...{ browser, formOrigin, shopOrigin, merchant: tessera.merchantId, calls },
    async open({ options = {}, page: asked = {}, headers = {} } = {}) {
      const path = `/${String(pages.size)}`
      pages.set(path, headers)
      const page = await browser.newPage(asked)
      await page.goto(shopOrigin + path)
      await page.evaluate(mountForm, { merchant: tessera.merchantId, locale: 'en', save: 'ask', ...options })
      const said = (event: string) =>
        page.evaluate((name) => (globalThis as unknown as { said: Record<string, unknown[]> }).said[name] ?? [], event)
      return { page, form: page.frameLocator('iframe'), said }
    },
    async stop() {
      await browser.close()
      for (const server of [front, shop]) server.close().closeAllConnections()
      await tessera.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Runs in the page. */
function mountForm(options: object): void {
  type Form = { on: (event: string, listener: (value: unknown) => void) => void; mount: (place: string) => void }
  const page = globalThis as unknown as {
    Tessera: { CardForm: new (options: object) => Form }
    said: Record<string, unknown[]>
    form: Form
  }
  page.said = {}
  page.form = new page.Tessera.CardForm(options)
  for (const event of ['ready', 'change', 'step', 'token', 'error', 'wait', 'seen'])
    page.form.on(event, (value) => (page.said[event] ??= []).push(value))
  page.form.mount('#card')
}

function sendForm(
  reply: ServerResponse,
  { script, style, merchant, origin }: Record<'script' | 'style' | 'merchant' | 'origin', string>,
): void {
  const text = 'I agree that my card is kept by the payment provider for my later purchases here.'
  const told = { text, sha256: createHash('sha256').update(text).digest('hex') }
  const disclosure = { version: 'test-1', texts: { en: told, ru: told, uz: told } }
  const facts = {
    merchant,
    origin,
    merchantName: 'Demo shop',
    providerName: 'Tessera',
    termsUrl: '/form/terms',
    privacyUrl: '/form/privacy',
    disclosure,
  }
  const hash = (body: string): string => `'sha256-${createHash('sha256').update(body).digest('base64')}'`
  reply.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; connect-src 'self'; form-action 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'; frame-ancestors ${origin}`,
  })
  reply.end(
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Tessera</title><style>${style}</style></head>` +
      `<body><script type="application/json" id="tessera">${JSON.stringify(facts)}</script><script>${script}</script></body></html>`,
  )
}

async function pass({ url }: StartedTessera, request: IncomingMessage, reply: ServerResponse, calls: string[]): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  calls.push((request.url ?? '').slice('/api/'.length))
  const headers = { 'content-type': 'application/json', 'x-auth': String(request.headers['x-auth']) }
  const answer = await fetch(url + (request.url ?? ''), { method: 'POST', headers, body: Buffer.concat(chunks) })
  reply.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
}

async function listen(answer: (request: IncomingMessage, reply: ServerResponse) => unknown): Promise<Server> {
  const server = createServer((request, reply) => void answer(request, reply))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function originOf(server: Server, host = '127.0.0.1'): string {
  return `http://${host}:${String((server.address() as AddressInfo).port)}`
}
