import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium, type Browser, type Frame, type FrameLocator, type Page } from 'playwright-core'

import { chromiumFlags, findChromium } from '../tools/chromium.ts'
import { startTessera, type StartedTessera } from '../tools/start-tessera.ts'

/** The service as it runs, the form and the SDK as it serves them, a shop on another origin (and site), and a browser. */
export interface Stage {
  readonly browser: Browser
  readonly tessera: StartedTessera
  readonly formOrigin: string
  readonly shopOrigin: string
  readonly merchant: string
  /** Opens a page of the shop with one form in it; `said` collects the form's events. */
  open: (options?: OpenOptions) => Promise<Opened>
  /** An address of the shop that answers with this page. */
  place: (page: ShopPage) => string
  stop: () => Promise<void>
}

export interface ShopPage {
  readonly headers?: Readonly<Record<string, string>>
  /** Stands before the SDK: the merchant's own style or script. */
  readonly head?: string
  /** What holds the form; it has an element `#card`. */
  readonly body?: string
}

export interface OpenOptions extends ShopPage {
  /** Of the CardForm. */
  readonly options?: object
  readonly page?: Parameters<Browser['newPage']>[0]
  /** Done to the page before it goes anywhere. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

export interface Opened {
  readonly page: Page
  readonly form: FrameLocator
  /** The frame itself, once it is there. */
  frame: () => Promise<Frame>
  said: (event: string) => Promise<unknown[]>
  /** Waits until the form said this event, and tells the last value. */
  heard: (event: string) => Promise<unknown>
  /** Waits until the form said this event so often, and tells all of it. What the frame shows may be there before the page has heard of it. */
  heardMany: (event: string, count: number) => Promise<unknown[]>
  /** How often the form called this method of the service. */
  calls: (method: string) => number
  /** Every line that the browser wrote about this page, and every uncaught error. */
  readonly lines: readonly string[]
}

/** Starts all of it; `settings` are flags of the service. */
export async function startStage({ settings = [] }: { settings?: readonly string[] } = {}): Promise<Stage> {
  const executablePath = findChromium()
  assert.ok(executablePath, 'Chromium is missing: npm test installs it, or say apt-get install chromium')
  const tessera = await startTessera({ settings })
  const browser = await chromium.launch({ executablePath, args: chromiumFlags() })
  const shop = await openShop(tessera.url)
  const merchant = tessera.merchantId
  return {
    ...{ browser, tessera, merchant, formOrigin: tessera.url, shopOrigin: shop.origin, place: shop.place },
    async open({ options = {}, page: asked = {}, prepare, ...shopPage } = {}) {
      const page = await browser.newPage(asked)
      await prepare?.(page)
      const opened = watch(page)
      await page.goto(shop.place(shopPage))
      await page.evaluate(mountForm, { merchant, locale: 'en', save: 'ask', ...options })
      return opened
    },
    async stop() {
      await browser.close()
      shop.server.close().closeAllConnections()
      await tessera.stop()
    },
  }
}

/** What is read of a page that holds a form, from the moment it was opened. */
export function watch(page: Page): Opened {
  const [called, lines]: [string[], string[]] = [[], []]
  page.on('request', (request) => {
    const method = /^\/api\/([a-z._]+)$/.exec(new URL(request.url()).pathname)?.[1]
    if (method !== undefined && request.method() === 'POST') called.push(method)
  })
  page.on('console', (line) => lines.push(line.text()))
  page.on('pageerror', (error) => lines.push(error.message))
  const said = (event: string): Promise<unknown[]> => page.evaluate((name) => (globalThis as unknown as Mounted).said[name] ?? [], event)
  const heardMany = async (event: string, count: number): Promise<unknown[]> => {
    await page.waitForFunction(([name, least]) => ((globalThis as unknown as Mounted).said[name]?.length ?? 0) >= least, [
      event,
      count,
    ] as const)
    return said(event)
  }
  return {
    ...{ page, lines, said, heardMany, form: page.frameLocator('iframe') },
    async frame() {
      const frame = await (await page.waitForSelector('iframe')).contentFrame()
      return frame ?? assert.fail('the iframe holds nothing')
    },
    heard: async (event) => (await heardMany(event, 1)).at(-1),
    calls: (method) => called.filter((name) => name === method).length,
  }
}

/** What the shop's page keeps for the tests. */
export interface Mounted {
  readonly said: Record<string, unknown[]>
  readonly form: MountedForm
  readonly Tessera: { readonly CardForm: new (options: object) => MountedForm }
}

export interface MountedForm {
  on: (event: string, listener: (value: unknown) => void) => void
  mount: (place: string) => MountedForm
  unmount: () => void
  update: (options: object) => void
  submit: () => void
  verify: () => void
  resend: () => void
  back: () => void
  clear: () => void
  focus: () => void
}

/** Runs in the page. */
export function mountForm(options: object): void {
  const page = globalThis as unknown as { -readonly [K in keyof Mounted]: Mounted[K] }
  page.said = {}
  page.form = new page.Tessera.CardForm(options)
  for (const event of ['ready', 'change', 'step', 'token', 'error', 'warning', 'wait', 'seen'])
    page.form.on(event, (value) => (page.said[event] ??= []).push(value ?? null))
  page.form.mount('#card')
  document.querySelector('#card iframe')?.addEventListener('load', () => (page.said['load'] ??= []).push(null))
}

/** Types a card as a cardholder does, and sends it. */
export async function enterCard({ form }: Opened, pan: string): Promise<void> {
  await form.locator('#number').fill(pan)
  await form.locator('#expiry').fill('')
  await form.locator('#expiry').pressSequentially('0399')
  await form.locator('form.card button').click()
}

/** From the step of the code to the end. */
export async function enterCode({ form }: Opened, code = '666666'): Promise<void> {
  await form.locator('#code').fill(code)
  await form.locator('form.code button.main').click()
}

export interface Shop {
  readonly server: Server
  readonly origin: string
  place: (page: ShopPage) => string
}

/** A shop on a host of its own: `localhost`, where the form is on 127.0.0.1, so that the two are of different sites too. */
export async function openShop(formOrigin: string, host = 'localhost'): Promise<Shop> {
  const pages = new Map<string, ShopPage>()
  const server = createServer((request, reply) => {
    const { headers = {}, head = '', body = '<h1>Shop</h1><div id="card"></div>' } = pages.get(request.url ?? '/') ?? {}
    reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
    reply.end(
      `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Shop</title>${head}</head>` +
        `<body>${body}<script src="${formOrigin}/sdk/v1/tessera.js"></script></body></html>`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://${host}:${String((server.address() as AddressInfo).port)}`
  const place = (page: ShopPage): string => {
    const path = `/${String(pages.size)}`
    pages.set(path, page)
    return origin + path
  }
  return { server, origin, place }
}
