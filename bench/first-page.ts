import { chromium, type Browser, type BrowserContext } from 'playwright-core'
import { largest, median } from '../fault/figures.ts'
import { startTessera, type Running } from '../fault/spawn.ts'
import { makeRandom } from '../fault/random.ts'
import { chromiumFlags, findChromium } from '../tools/chromium.ts'
import { drawPans } from './cards.ts'
import type { Figure, Measurement } from './measurement.ts'

/** The dashboard in a real browser that has nothing of it kept: from the navigation to the moment that its page can be used. */
export const firstPage: Measurement = {
  name: 'pages',
  question: 'How long until the first page of the dashboard can be used, in a browser that has nothing of it kept?',
  async run({ homes, isQuick, say }) {
    const home = await homes.make('sqlite')
    const running = await startTessera({ flags: home.flags })
    const browser = await chromium.launch({ executablePath: findChromium() ?? 'chromium', args: chromiumFlags() })
    try {
      await makeCards(running)
      const origin = running.url.replace('127.0.0.1', 'localhost')
      const signedIn = await signIn(browser, origin)
      const figures: Figure[] = []
      for (const page of pages) {
        const seen: Seen[] = []
        for (let round = 0; round < (isQuick ? 5 : 20); round++) seen.push(await look(browser, origin, page, signedIn))
        say(`pages: ${page.path}, ${seen.length} rounds`)
        figures.push(...tell(page, seen))
      }
      return figures
    } finally {
      await browser.close()
      await running.stop()
      await home.remove()
    }
  },
}

interface PageLook {
  readonly path: string
  readonly name: string
  readonly isSignedIn: boolean
  /** What is on the page once it can be used. */
  readonly usable: string
}

const pages: readonly PageLook[] = [
  { path: 'cards', name: 'signing in can begin', isSignedIn: false, usable: 'input[type=password]' },
  { path: 'cards', name: 'cards, first rows', isSignedIn: true, usable: 'tbody tr' },
  { path: 'overview', name: 'overview, first chart', isSignedIn: true, usable: 'main svg' },
]

interface Seen {
  /** From the start of the navigation to the frame after the one that has it, ms. */
  readonly usableMs: number
  /** Over the wire, with headers. */
  readonly bytes: number
  readonly requests: number
}

type State = Awaited<ReturnType<BrowserContext['storageState']>>

/** A profile of its own each time: its cache is empty. */
async function look(browser: Browser, origin: string, { path, isSignedIn, usable }: PageLook, signedIn: State): Promise<Seen> {
  const context = await browser.newContext({ locale: 'en-GB', ...(isSignedIn ? { storageState: signedIn } : {}) })
  const page = await context.newPage()
  await page.addInitScript({ content: watching(usable) })
  await page.goto(`${origin}/dashboard/${path}`, { waitUntil: 'commit' })
  const seen = await page.waitForFunction(() => (globalThis as { usable?: Seen }).usable).then((found) => found.jsonValue())
  await context.close()
  if (seen === undefined) throw new Error(`${path} could not be used`)
  return seen
}

/** Runs in the page, before anything of it, and waits for what can be used: the frame that has it is painted when the next one begins. */
function watching(usable: string): string {
  return `{
    const look = () => document.querySelector(${JSON.stringify(usable)}) === null ? requestAnimationFrame(look) : requestAnimationFrame(tell)
    const tell = () => {
      const loads = performance.getEntries().filter((entry) => entry instanceof PerformanceResourceTiming)
      const bytes = loads.reduce((sum, { transferSize }) => sum + transferSize, 0)
      globalThis.usable = { usableMs: performance.now(), bytes, requests: loads.length }
    }
    requestAnimationFrame(look)
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

/** Enough for a whole page of the list, and for a chart. */
async function makeCards({ url, xAuth }: Running): Promise<void> {
  for (const number of drawPans(makeRandom(3), 30)) {
    const body = JSON.stringify({ id: 1, method: 'cards.create', params: { card: { number, expire: '0399' }, save: true } })
    await fetch(`${url}/api/cards.create`, { method: 'POST', headers: { 'x-auth': xAuth.slice(0, xAuth.indexOf(':')) }, body })
  }
}

function tell({ name }: PageLook, seen: readonly Seen[]): Figure[] {
  const spans = seen.map(({ usableMs }) => usableMs)
  const of = 'dashboard'
  return [
    { of, name, value: median(spans), unit: 'ms', aim: { most: 1000 } },
    { of, name: `${name}, the slowest`, value: largest(spans), unit: 'ms' },
    { of, name: `${name}, over the wire`, value: median(seen.map(({ bytes }) => bytes)) / 1024, unit: 'KiB' },
    { of, name: `${name}, requests`, value: median(seen.map(({ requests }) => requests)), unit: '' },
  ]
}
