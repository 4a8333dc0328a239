import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Frame, FrameLocator, Page } from 'playwright-core'

import { openChromium } from '../tools/open-chromium.ts'
import { pressInFrame } from '../tools/press-in-frame.ts'
import { joinTessera, startTessera, stopOnFailure, type StartedTessera } from '../tools/start-tessera.ts'

/** The running service, a shop on another origin and site that embeds the form, and a browser. */
export interface TestBed {
  readonly browser: Browser
  readonly tessera: StartedTessera
  readonly formOrigin: string
  readonly shopOrigin: string
  readonly merchant: string
  /** Opens a page of the shop with one form in it. The form's events are recorded. */
  open: (options?: OpenOptions) => Promise<OpenForm>
  /** Adds a page to the shop and returns its address. */
  servePage: (page: ShopPage) => string
  stop: () => Promise<void>
}

export interface ShopPage {
  readonly headers?: Readonly<Record<string, string>>
  /** The merchant's own styles or scripts, before the SDK. */
  readonly head?: string
  /** The body, with an element `#card` for the form. */
  readonly body?: string
}

export interface OpenOptions extends ShopPage {
  /** Options of the CardForm. */
  readonly options?: object
  readonly page?: Parameters<Browser['newPage']>[0]
  /** Runs on the empty page, before it navigates. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

/** A page with a form in it. */
export interface OpenForm {
  readonly page: Page
  readonly form: FrameLocator
  /** The form's frame. Waits until it is there. */
  frame: () => Promise<Frame>
  /** Waits until the deferred script has added its steps. */
  waitUntilComplete: () => Promise<void>
  /** The values of every event of this name so far. */
  eventValues: (event: string) => Promise<unknown[]>
  /** Waits until there was an event of this name, and returns the last value. */
  waitForEvent: (event: string) => Promise<unknown>
  /** Waits until there were `count` events of this name, and returns their values. The frame may show a change before the page gets its event. */
  waitForEvents: (event: string, count: number) => Promise<unknown[]>
  /** How often the form called this method of the service. */
  callCount: (method: string) => number
  /** Every line in the console of this page, and every uncaught error. */
  readonly consoleLines: readonly string[]
}

/** Starts service, shop and browser. `settings` are command-line flags of the service; without any, a running one is shared. */
export async function startTestBed({
  settings = [],
  isWholeBrowser = false,
}: { settings?: readonly string[]; isWholeBrowser?: boolean } = {}): Promise<TestBed> {
  const tessera = settings.length === 0 ? await joinTessera() : await startTessera({ settings })
  const browser = await stopOnFailure(tessera, () => openChromium({ isWhole: isWholeBrowser }))
  const shop = await startFormShop(tessera.url)
  const merchant = tessera.merchantId
  return {
    browser,
    tessera,
    merchant,
    formOrigin: tessera.url,
    shopOrigin: shop.origin,
    servePage: shop.servePage,
    async open({ options = {}, page: pageOptions = {}, prepare, ...shopPage } = {}) {
      const page = await browser.newPage(pageOptions)
      await prepare?.(page)
      const opened = observeForm(page)
      await page.goto(shop.servePage(shopPage))
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

/** Records what happens in a page with a form, from now on. */
export function observeForm(page: Page): OpenForm {
  const calls: string[] = []
  const consoleLines: string[] = []
  page.on('request', (request) => {
    const method = /^\/api\/([a-z._]+)$/.exec(new URL(request.url()).pathname)?.[1]
    if (method !== undefined && request.method() === 'POST') calls.push(method)
  })
  page.on('console', (line) => consoleLines.push(line.text()))
  page.on('pageerror', (error) => consoleLines.push(error.message))
  const eventValues = (event: string): Promise<unknown[]> =>
    page.evaluate((name) => (globalThis as unknown as TestPage).formEvents[name] ?? [], event)
  const waitForEvents = async (event: string, count: number): Promise<unknown[]> => {
    await page.waitForFunction(([name, minimum]) => ((globalThis as unknown as TestPage).formEvents[name]?.length ?? 0) >= minimum, [
      event,
      count,
    ] as const)
    return eventValues(event)
  }
  return {
    page,
    consoleLines,
    eventValues,
    waitForEvents,
    form: page.frameLocator('iframe'),
    waitUntilComplete: () => page.frameLocator('iframe').locator('form.done').waitFor({ state: 'attached' }),
    async frame() {
      const frame = await (await page.waitForSelector('iframe')).contentFrame()
      return frame ?? assert.fail('the iframe has no document')
    },
    waitForEvent: async (event) => (await waitForEvents(event, 1)).at(-1),
    callCount: (method) => calls.filter((name) => name === method).length,
  }
}

/** Globals of the shop's page. */
export interface TestPage {
  /** The values of the form's events, by name. */
  readonly formEvents: Record<string, unknown[]>
  readonly form: TestPageForm
  readonly Tessera: { readonly CardForm: new (options: object) => TestPageForm }
}

export interface TestPageForm {
  on: (event: string, listener: (value: unknown) => void) => void
  mount: (selector: string) => TestPageForm
  unmount: () => void
  update: (options: object) => void
  submit: () => Promise<unknown>
  verify: () => Promise<unknown>
  resend: () => void
  back: () => void
  clear: () => void
  focus: () => void
}

/** Runs in the page: mounts a form and records its events. */
export function mountForm(options: object): void {
  const page = globalThis as unknown as { -readonly [K in keyof TestPage]: TestPage[K] }
  page.formEvents = {}
  page.form = new page.Tessera.CardForm(options)
  for (const event of ['ready', 'change', 'step', 'busy', 'focus', 'blur', 'token', 'error', 'warning', 'wait', 'pick', 'remove', 'seen'])
    page.form.on(event, (value) => (page.formEvents[event] ??= []).push(value ?? null))
  page.form.mount('#card')
  document.querySelector('#card iframe')?.addEventListener('load', () => (page.formEvents['load'] ??= []).push(null))
}

/** Types a card as a cardholder does, and submits it. */
export async function enterCard({ form }: OpenForm, pan: string): Promise<void> {
  await form.locator('#number').fill(pan)
  await form.locator('#expiry').fill('')
  await form.locator('#expiry').pressSequentially('0399')
  await pressInFrame(form.locator('form.card button.main'))
}

/** Enters the SMS code, which confirms itself. */
export async function enterCode({ form }: OpenForm, code = '666666'): Promise<void> {
  await form.locator('#code').fill(code)
}

export interface FormShop {
  readonly server: Server
  readonly origin: string
  servePage: (page: ShopPage) => string
}

/** Starts a shop on `localhost`. The form is on 127.0.0.1, so that the two are on different sites, too. */
export async function startFormShop(formOrigin: string, host = 'localhost'): Promise<FormShop> {
  const pages = new Map<string, ShopPage>()
  const server = createServer((request, response) => {
    const { headers = {}, head = '', body = '<h1>Shop</h1><div id="card"></div>' } = pages.get(request.url ?? '/') ?? {}
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers })
    response.end(
      `<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Shop</title>${head}</head>` +
        `<body>${body}<script src="${formOrigin}/sdk/v1/tessera.js"></script></body></html>`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://${host}:${String((server.address() as AddressInfo).port)}`
  const servePage = (page: ShopPage): string => {
    const path = `/${String(pages.size)}`
    pages.set(path, page)
    return origin + path
  }
  return { server, origin, servePage }
}
