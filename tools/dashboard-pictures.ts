// Draws every page of the dashboard, in each width, theme and language, on the data of `npm run example:data`, to be looked at. --help lists the options.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'

import { readCommandLine } from './command-line.ts'
import { openChromium } from './open-chromium.ts'
import { startTessera } from './start-tessera.ts'

const usage = `node tools/dashboard-pictures.ts --out <folder> [options]

Signs in to the dashboard and draws each page whole, then sheets of six pages side by side (sheet-….png), which are quicker to look at.

  --out <folder>         where the pictures go; outside of the repository
  --data <folder>        the data folder that npm run example:data filled; default ./example-data
  --widths <list>        1440,1280,390
  --themes <list>        light,dark
  --languages <list>     en,ru,uz
  --pages <list>         some pages, by the names of the files (overview,receipts,…); the others are left out
  --merchant <number>    0: the shop that sells at once; 1: the one that holds first
  --help                 prints this`

const { values } = readCommandLine(
  {
    out: { type: 'string' },
    data: { type: 'string', default: 'example-data' },
    widths: { type: 'string', default: '1440,1280,390' },
    themes: { type: 'string', default: 'light,dark' },
    languages: { type: 'string', default: 'en,ru,uz' },
    pages: { type: 'string' },
    merchant: { type: 'string', default: '0' },
  },
  usage,
)

/** A page to draw: a path, or how to get from one to an object that has an id of its own. */
interface PictureSubject {
  readonly name: string
  readonly path: string
  /** The first link that is followed from there. */
  readonly link?: string
  /** Keys that are pressed then. */
  readonly keys?: readonly string[]
}

const subjects: readonly PictureSubject[] = [
  { name: 'overview', path: 'overview' },
  { name: 'receipts', path: 'receipts' },
  { name: 'receipts-failed', path: 'receipts?status=failed' },
  { name: 'receipts-none', path: 'receipts?status=needs_review' },
  { name: 'receipt', path: 'receipts?status=paid', link: 'tbody a[href*="/receipts/"]' },
  { name: 'totals', path: 'receipts/totals' },
  { name: 'cards', path: 'cards' },
  { name: 'card', path: 'cards', link: 'tbody a[href*="/cards/"]' },
  { name: 'customers', path: 'customers' },
  { name: 'customer', path: 'customers', link: 'tbody a' },
  { name: 'verification', path: 'verification' },
  { name: 'verification-failed', path: 'verification?outcome=not_sent' },
  { name: 'code-story', path: 'verification?outcome=not_sent', link: 'tbody a[href*="/verification/"]' },
  { name: 'code-delivered', path: 'verification?outcome=verified', link: 'tbody a[href*="/verification/"]' },
  { name: 'sms-inbox', path: 'verification/inbox' },
  { name: 'start', path: 'start' },
  { name: 'requests', path: 'requests' },
  { name: 'request', path: 'requests?outcome=error', link: 'tbody a[href*="/requests/"]' },
  { name: 'webhooks', path: 'webhooks' },
  { name: 'delivery', path: 'webhooks', link: 'tbody a[href*="/webhooks/"]' },
  { name: 'sandbox', path: 'sandbox' },
  { name: 'form', path: 'form' },
  { name: 'page-check', path: 'page-check' },
  { name: 'compliance', path: 'compliance' },
  { name: 'compliance-report', path: 'compliance/report' },
  { name: 'compliance-scripts', path: 'compliance/scripts' },
  { name: 'compliance-consents', path: 'compliance/consents' },
  { name: 'compliance-responsibilities', path: 'compliance/responsibilities' },
  { name: 'audit', path: 'audit' },
  { name: 'settings-business', path: 'settings/business' },
  { name: 'settings-payments', path: 'settings/payments' },
  { name: 'settings-card-form', path: 'settings/card-form' },
  { name: 'settings-api-keys', path: 'settings/api-keys' },
  { name: 'settings-webhooks', path: 'settings/webhooks' },
  { name: 'settings-team', path: 'settings/team' },
  { name: 'users', path: 'users' },
  { name: 'account', path: 'account' },
  { name: 'search', path: 'overview', keys: ['/', '6', '3', '1', '1'] },
  { name: 'sign-in', path: 'sign-in' },
]

const root = fileURLToPath(new URL('..', import.meta.url))
const perSheet = 6
const waitMs = 10_000
process.exitCode = await main()

async function main(): Promise<number> {
  const out = resolve(values.out ?? '')
  if (values.out === undefined || `${out}${sep}`.startsWith(root)) return refuse('--out names a folder outside of the repository.')
  const data = resolve(values.data)
  const summary = join(data, 'example-data.json')
  if (!existsSync(summary)) return refuse(`${data} was not filled. Run: npm run example:data -- --data ${values.data}`)
  const shops = JSON.parse(readFileSync(summary, 'utf8')) as { ownerPhone: string; ownerPassword: string }[]
  const shop = shops[Number(values.merchant)]
  if (shop === undefined) return refuse(`--merchant is 0 to ${String(shops.length - 1)}.`)
  const names = values.pages?.split(',')
  const wanted = subjects.filter(({ name }) => names?.includes(name) ?? true)
  if (wanted.length === 0) return refuse(`--pages are among ${subjects.map(({ name }) => name).join(', ')}.`)
  mkdirSync(out, { recursive: true })
  const tessera = await startTessera({ dataFolder: data })
  try {
    const browser = await openChromium({ isShared: false })
    try {
      const origin = tessera.url.replace('127.0.0.1', 'localhost')
      const state = await signIn(browser, origin, shop)
      for (const width of values.widths.split(','))
        for (const theme of values.themes.split(','))
          for (const language of values.languages.split(','))
            await drawAll({ browser, origin, state, out, subjects: wanted, width: Number(width), theme, language })
    } finally {
      await browser.close()
    }
  } finally {
    await tessera.stop()
  }
  return 0
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n\n${usage}\n`)
  return 64
}

type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>

async function signIn(browser: Browser, origin: string, shop: { ownerPhone: string; ownerPassword: string }): Promise<SignedIn> {
  const context = await browser.newContext({ locale: 'en-GB' })
  const page = await context.newPage()
  await page.goto(`${origin}/dashboard/account`)
  await page.getByRole('textbox', { name: 'Phone' }).fill(shop.ownerPhone)
  await page.locator('input[type=password]').fill(shop.ownerPassword)
  await page.locator('button[type=submit]').click()
  await page.locator('nav a').first().waitFor({ state: 'attached' })
  const state = await context.storageState()
  await context.close()
  return state
}

interface DrawingOptions {
  readonly browser: Browser
  readonly origin: string
  readonly state: SignedIn
  readonly out: string
  readonly subjects: readonly PictureSubject[]
  readonly width: number
  readonly theme: string
  readonly language: string
}

/** Draws the pages in one width, theme and language, and the sheets of them. */
async function drawAll(drawing: DrawingOptions): Promise<void> {
  const { browser, origin, state, out, width, theme, language } = drawing
  const open = async (storageState?: SignedIn): Promise<BrowserContext> => {
    const context = await browser.newContext({
      locale: 'en-GB',
      viewport: { width, height: width < 600 ? 844 : 900 },
      ...(storageState === undefined ? {} : { storageState }),
    })
    await context.addInitScript(
      ([theme, language]) => {
        localStorage.setItem('tessera.theme', theme ?? '')
        localStorage.setItem('tessera.language', language ?? '')
      },
      [theme, language],
    )
    return context
  }
  const context = await open(state)
  const stranger = await open()
  const drawn: { name: string; picture: Buffer }[] = []
  for (const subject of drawing.subjects) {
    const page = await (subject.name === 'sign-in' ? stranger : context).newPage()
    try {
      await page.goto(`${origin}/dashboard/${subject.path}`)
      await settle(page)
      if (subject.link !== undefined) {
        await page.locator(subject.link).first().click({ timeout: waitMs })
        await settle(page)
      }
      for (const key of subject.keys ?? []) await page.keyboard.press(key)
      if (subject.keys !== undefined) await settle(page)
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      if (wide > 0) process.stdout.write(`${subject.name} is ${String(wide)} px too wide at ${String(width)} (${theme}, ${language})\n`)
      const picture = await page.screenshot({ fullPage: subject.keys === undefined })
      writeFileSync(join(out, `${subject.name}-${String(width)}-${theme}-${language}.png`), picture)
      drawn.push({ name: subject.name, picture })
    } catch (err) {
      process.stdout.write(`${subject.name} was not drawn: ${String(err).split('\n', 1)[0] ?? ''}\n`)
    } finally {
      await page.close()
    }
  }
  await context.close()
  await stranger.close()
  for (let first = 0, sheet = 1; first < drawn.length; first += perSheet, sheet++) {
    const picture = await drawSheet(browser, drawn.slice(first, first + perSheet), width)
    writeFileSync(join(out, `sheet-${String(width)}-${theme}-${language}-${String(sheet)}.png`), picture)
  }
  process.stdout.write(`${String(width)} ${theme} ${language}: ${String(drawn.length)} pages\n`)
}

/** Waits until nothing is loading and nothing has been asked for a moment. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached', timeout: waitMs })
  await page.waitForTimeout(150)
}

async function drawSheet(browser: Browser, drawn: readonly { name: string; picture: Buffer }[], width: number): Promise<Buffer> {
  const columns = width < 600 ? 6 : 3
  const page = await browser.newPage({ viewport: { width: 2000, height: 800 } })
  const cells = drawn.map(
    ({ name, picture }) =>
      `<figure><figcaption>${name}</figcaption><img src="data:image/png;base64,${picture.toString('base64')}"></figure>`,
  )
  const style = `body{margin:0;display:grid;grid-template-columns:repeat(${String(columns)},1fr);gap:8px;background:#888;font:14px sans-serif}
    figure{margin:0;max-height:1000px;overflow:hidden}figcaption{background:#ff0;padding:2px 6px}img{width:100%}`
  await page.setContent(`<!doctype html><style>${style}</style>${cells.join('')}`)
  const picture = await page.screenshot({ fullPage: true })
  await page.close()
  return picture
}
