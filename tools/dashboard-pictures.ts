// Draws every page of the dashboard, or its dialogs and errors, in each width, theme and language, on the data of `npm run example:data`, to be looked at. --help lists the options.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'

import { readCommandLine } from './command-line.ts'
import { openChromium } from './open-chromium.ts'
import { type PictureSubject, pageSubjects, stateSubjects } from './dashboard-subjects.ts'
import { startTessera } from './start-tessera.ts'

const usage = `node tools/dashboard-pictures.ts --out <folder> [options]

Signs in to the dashboard and draws each page whole, then sheets of one row (sheet-….png), which are quicker to look at: three
pages, six of a phone; a long page goes on in the next place.

  --out <folder>         where the pictures go; outside of the repository
  --data <folder>        the data folder that npm run example:data filled; default ./example-data
  --widths <list>        1440,1280,390
  --themes <list>        light,dark
  --languages <list>     en,ru,uz
  --states               dialogs, menus, errors, and a service that does not respond, instead of the pages
  --empty                a service without data, as at the first sign-in
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
    states: { type: 'boolean', default: false },
    empty: { type: 'boolean', default: false },
    pages: { type: 'string' },
    merchant: { type: 'string', default: '0' },
  },
  usage,
)

/** Of the test environment. */
const demoOwner: ShopOwner = { ownerPhone: '998900000000', ownerPassword: 'sandbox' }
const root = fileURLToPath(new URL('..', import.meta.url))
const sheetWidth = 2000
const sheetGap = 8
const cellHeight = 1000
const waitMs = 10_000
const stepMs = 250
process.exitCode = await main()

async function main(): Promise<number> {
  const out = resolve(values.out ?? '')
  if (values.out === undefined || `${out}${sep}`.startsWith(root)) return refuse('--out names a folder outside of the repository.')
  const data = resolve(values.data)
  const summary = join(data, 'example-data.json')
  if (!values.empty && !existsSync(summary)) return refuse(`${data} was not filled. Run: npm run example:data -- --data ${values.data}`)
  const shops = values.empty ? [demoOwner] : (JSON.parse(readFileSync(summary, 'utf8')) as ShopOwner[])
  const shop = shops[Number(values.merchant)]
  if (shop === undefined) return refuse(`--merchant is 0 to ${String(shops.length - 1)}.`)
  const subjects = values.states ? stateSubjects : pageSubjects
  const names = values.pages?.split(',')
  const wanted = subjects.filter(({ name }) => names?.includes(name) ?? true)
  if (wanted.length === 0) return refuse(`--pages are among ${subjects.map(({ name }) => name).join(', ')}.`)
  mkdirSync(out, { recursive: true })
  const tessera = await startTessera(values.empty ? {} : { dataFolder: data })
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

interface ShopOwner {
  readonly ownerPhone: string
  readonly ownerPassword: string
}

type SignedIn = Awaited<ReturnType<BrowserContext['storageState']>>

async function signIn(browser: Browser, origin: string, shop: ShopOwner): Promise<SignedIn> {
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
  const drawn: { name: string; picture: Buffer }[] = []
  for (const subject of drawing.subjects) {
    const context = await open(subject.isSignedOut === true ? undefined : state)
    try {
      const page = await context.newPage()
      await page.goto(`${origin}/dashboard/${subject.path}`)
      await settle(page)
      await actOn(page, subject)
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      if (wide > 0) process.stdout.write(`${subject.name} is ${String(wide)} px too wide at ${String(width)} (${theme}, ${language})\n`)
      const cut = await page.evaluate<number>(
        "Math.max(0, ...[...document.querySelectorAll('main .table')].filter((each) => each.closest('details:not([open])') === null).map((each) => each.scrollWidth - each.clientWidth))",
      )
      if (cut > 0)
        process.stdout.write(`${subject.name} has a table that is ${String(cut)} px too wide at ${String(width)} (${theme}, ${language})\n`)
      const isOverlaid = subject.keys !== undefined || subject.click !== undefined
      const picture = await page.screenshot({ fullPage: !isOverlaid })
      writeFileSync(join(out, `${subject.name}-${String(width)}-${theme}-${language}.png`), picture)
      drawn.push({ name: subject.name, picture })
    } catch (err) {
      process.stdout.write(`${subject.name} was not drawn: ${String(err).split('\n', 1)[0] ?? ''}\n`)
    } finally {
      await context.close()
    }
  }
  const cells = drawn.flatMap(toCells)
  for (let first = 0, sheet = 1; first < cells.length; first += columnsOf(width), sheet++) {
    const picture = await drawSheet(browser, cells.slice(first, first + columnsOf(width)), width)
    writeFileSync(join(out, `sheet-${String(width)}-${theme}-${language}-${String(sheet)}.png`), picture)
  }
  process.stdout.write(`${String(width)} ${theme} ${language}: ${String(drawn.length)} pages\n`)
}

async function actOn(page: Page, { link, type, click = [], keys = [], lastClick, fault }: PictureSubject): Promise<void> {
  if (link !== undefined) {
    await page.locator(link).first().click({ timeout: waitMs })
    await settle(page)
  }
  if (fault === 'gone') await page.route('**/dashboard/api', (route) => route.abort())
  if (fault === 'slow') await page.route('**/dashboard/api', () => undefined)
  if (fault === 'signed-out') await page.context().clearCookies()
  if (type !== undefined) await page.locator(type[0]).first().fill(type[1], { timeout: waitMs })
  for (const selector of click) {
    // The pages of the navigation are in a drawer on a phone.
    await page.locator(selector).first().dispatchEvent('click', undefined, { timeout: waitMs })
    await page.waitForTimeout(stepMs)
  }
  for (const key of keys) await page.keyboard.press(key)
  if (lastClick !== undefined) await page.locator(lastClick).first().dispatchEvent('click', undefined, { timeout: waitMs })
  // The page that waits, for the response or for the sign-in, is the picture.
  if (fault === 'slow' || fault === 'signed-out') await page.waitForTimeout(4 * stepMs)
  else await settle(page)
}

/** Waits until nothing is loading and nothing has been asked for a moment. */
async function settle(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached', timeout: waitMs })
  await page.waitForTimeout(150)
}

/** A part of a picture, by its upper edge, that is as high as a cell of a sheet. */
interface SheetCell {
  readonly name: string
  readonly picture: Buffer
  readonly top: number
}

/** A long page goes on in the next cell. */
function toCells({ name, picture }: { name: string; picture: Buffer }): SheetCell[] {
  // A PNG begins with its signature, then the header with width and height.
  const scale = picture.readUInt32BE(16) / cellWidth(picture.readUInt32BE(16))
  const count = Math.ceil(picture.readUInt32BE(20) / scale / cellHeight)
  return Array.from({ length: count }, (_, i) => ({ name: i === 0 ? name : `${name} (${String(i + 1)})`, picture, top: i * cellHeight }))
}

function columnsOf(width: number): number {
  return width < 600 ? 6 : 3
}

function cellWidth(width: number): number {
  const columns = columnsOf(width)
  return Math.floor((sheetWidth - (columns - 1) * sheetGap) / columns)
}

async function drawSheet(browser: Browser, drawn: readonly SheetCell[], width: number): Promise<Buffer> {
  const page = await browser.newPage({ viewport: { width: sheetWidth, height: 800 } })
  const cells = drawn.map(
    ({ name, picture, top }) =>
      `<figure><figcaption>${name}</figcaption><div><img style="margin-top:-${String(top)}px" src="data:image/png;base64,${picture.toString('base64')}"></div></figure>`,
  )
  const style = `body{margin:0;display:grid;grid-template-columns:repeat(${String(columnsOf(width))},${String(cellWidth(width))}px);gap:${String(sheetGap)}px;background:#888;font:14px sans-serif}
    figure{margin:0}div{max-height:${String(cellHeight)}px;overflow:hidden}figcaption{background:#ff0;padding:2px 6px}img{display:block;width:100%}`
  await page.setContent(`<!doctype html><style>${style}</style>${cells.join('')}`)
  const picture = await page.screenshot({ fullPage: true })
  await page.close()
  return picture
}
