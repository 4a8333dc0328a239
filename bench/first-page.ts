import { chromium, type Browser, type BrowserContext } from 'playwright-core'
import { largest, median } from '../fault/statistics.ts'
import { openApiClient } from '../fault/api-client.ts'
import { makeSavedTokens } from '../fault/payment-load.ts'
import { startService, type RunningService } from '../fault/spawn.ts'
import { makeRandom } from '../fault/random.ts'
import { chromiumFlags, findChromium } from '../tools/chromium.ts'
import { drawPans } from '../fault/seeded-pans.ts'
import type { Measure, Measurement } from './measurement.ts'
import { countTransfer } from './page-transfer.ts'

/** The dashboard in a real browser with an empty cache: from the navigation until its page can be used. */
export const firstPage: Measurement = {
  name: 'pages',
  question: 'How long until the first page of the dashboard can be used, in a browser with an empty cache?',
  async run({ dataFactory, isQuick, say }) {
    const serviceData = await dataFactory.create('sqlite')
    const running = await startService({ flags: serviceData.flags })
    const browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium', args: chromiumFlags() })
    try {
      await makeCards(running)
      await makePayments(running)
      const origin = running.url.replace('127.0.0.1', 'localhost')
      const signedIn = await signIn(browser, origin)
      const measures: Measure[] = []
      for (const page of pages) {
        const seen: PageTimings[] = []
        for (let round = 0; round < (isQuick ? 5 : 20); round++) seen.push(await measurePage(browser, origin, page, signedIn))
        say(`pages: ${page.path}, ${seen.length} rounds`)
        measures.push(...toMeasures(page, seen))
      }
      return measures
    } finally {
      await browser.close()
      await running.stop()
      await serviceData.remove()
    }
  },
}

interface PageLook {
  readonly path: string
  readonly name: string
  readonly isSignedIn: boolean
  /** Selects an element that is on the page once it can be used. */
  readonly usable: string
}

const pages: readonly PageLook[] = [
  { path: 'cards', name: 'sign-in form', isSignedIn: false, usable: 'input[type=password]' },
  { path: 'cards', name: 'cards, first rows', isSignedIn: true, usable: 'tbody tr' },
  { path: 'receipts', name: 'payments, first rows', isSignedIn: true, usable: 'tbody tr' },
  { path: 'start', name: 'get started, its checklist', isSignedIn: true, usable: 'main .panel' },
  { path: 'overview', name: 'overview, first chart', isSignedIn: true, usable: 'main svg' },
]

interface PageTimings {
  /** From the start of the navigation to the frame after the one with the usable element, in ms. */
  readonly usableMs: number
  /** Of every response until nothing more is loaded, as they came over the wire, with headers. */
  readonly bytes: number
  readonly requests: number
}

type State = Awaited<ReturnType<BrowserContext['storageState']>>

/** Uses a new browser context each time, with an empty cache. */
async function measurePage(
  browser: Browser,
  origin: string,
  { path, isSignedIn, usable }: PageLook,
  signedIn: State,
): Promise<PageTimings> {
  const context = await browser.newContext({ locale: 'en-GB', ...(isSignedIn ? { storageState: signedIn } : {}) })
  const page = await context.newPage()
  const transfer = await countTransfer(page)
  await page.addInitScript({ content: watching(usable) })
  await page.goto(`${origin}/dashboard/${path}`, { waitUntil: 'commit' })
  const usableMs = await page.waitForFunction(() => (globalThis as { usableMs?: number }).usableMs).then((found) => found.jsonValue())
  await page.waitForLoadState('networkidle')
  await context.close()
  if (usableMs === undefined) throw new Error(`${path} could not be used`)
  return { usableMs, bytes: transfer.bytes, requests: transfer.responses }
}

/** Runs in the page before its own scripts, and waits for the usable element: its frame is painted when the next one begins. */
function watching(usable: string): string {
  return `{
    const check = () => document.querySelector(${JSON.stringify(usable)}) === null ? requestAnimationFrame(check) : requestAnimationFrame(report)
    const report = () => (globalThis.usableMs = performance.now())
    requestAnimationFrame(check)
  }`
}

async function signIn(browser: Browser, origin: string): Promise<State> {
  const context = await browser.newContext({ locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(`${origin}/dashboard/cards`)
  await page.getByRole('textbox', { name: /phone/i }).fill('998900000000')
  await page.locator('input[type=password]').fill('sandbox')
  await page.locator('button[type=submit]').click()
  await page.locator('tbody tr').first().waitFor()
  const state = await context.storageState()
  await context.close()
  return state
}

/** Enough for a whole page of the list and for a chart. */
async function makeCards({ url, xAuth }: RunningService): Promise<void> {
  for (const number of drawPans(makeRandom(3), 30)) {
    const body = JSON.stringify({ id: 1, method: 'cards.create', params: { card: { number, expire: '0399' }, save: true } })
    await fetch(`${url}/api/cards.create`, { method: 'POST', headers: { 'x-auth': xAuth.slice(0, xAuth.indexOf(':')) }, body })
  }
}

/** As many, so that the first page of the list is full. */
async function makePayments(running: RunningService): Promise<void> {
  const [token] = await makeSavedTokens(running, 1)
  const client = await openApiClient(running)
  for (let made = 0; made < 30; made++) {
    const created = await client.call('receipts.create', { amount: 10_000 + made, account: { order: `o-${String(made)}` } })
    const { _id: id } = (created.kind === 'result' ? created.result['receipt'] : {}) as { readonly _id?: string }
    const paid = await client.call('receipts.pay', { id, token })
    if (paid.kind !== 'result') throw new Error(`a payment was refused: ${JSON.stringify(paid)}`)
  }
  client.close()
}

function toMeasures({ name }: PageLook, seen: readonly PageTimings[]): Measure[] {
  const durations = seen.map(({ usableMs }) => usableMs)
  const of = 'dashboard'
  return [
    { of, name, value: median(durations), unit: 'ms', target: { most: 1000 } },
    { of, name: `${name}, the slowest`, value: largest(durations), unit: 'ms' },
    { of, name: `${name}, transferred`, value: median(seen.map(({ bytes }) => bytes)) / 1000, unit: 'kB', target: { most: 75 } },
    { of, name: `${name}, requests`, value: median(seen.map(({ requests }) => requests)), unit: '' },
  ]
}
