import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { largest, median } from '../fault/statistics.ts'
import { root } from '../fault/spawn.ts'
import { openChromium } from '../tools/open-chromium.ts'
import { plainEnvironment } from '../tools/service-child.ts'
import { startTessera } from '../tools/start-tessera.ts'
import type { Measure, Measurement } from './measurement.ts'
import { countTransfer } from './page-transfer.ts'

/** From the click on a page of the navigation until its content has been painted, on two weeks of example data. */
export const pageSwitches: Measurement = {
  name: 'switches',
  question: 'How long does it take from one page of the dashboard to another, and what does each take when it is opened first?',
  async run({ isQuick, say }) {
    const folder = mkdtempSync(join(tmpdir(), 'tessera-switches-'))
    try {
      const data = join(folder, 'filled')
      const args = ['examples/example-data/start.ts', '--size', isQuick ? 'small' : 'medium', '--data', data]
      await promisify(execFile)(process.execPath, args, { cwd: root, env: plainEnvironment() })
      const tessera = await startTessera({ dataFolder: data })
      try {
        return await measureAll(tessera.url.replace('127.0.0.1', 'localhost'), isQuick ? 3 : 15, say)
      } finally {
        await tessera.stop()
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

async function measureAll(origin: string, rounds: number, say: (text: string) => void): Promise<Measure[]> {
  const browser = await openChromium({ isShared: false })
  try {
    const first = new Map<string, number[]>()
    const again = new Map<string, number[]>()
    for (let round = 0; round < rounds; round++) {
      const page = await signIn(browser, origin)
      const paths = await page.evaluate<string[]>(pathsOfNavigation)
      // The page on which the session begins is left first, so that each page is come to from another one.
      for (const seen of [first, again])
        for (const path of [...paths.slice(1), ...paths.slice(0, 1)]) {
          const ms = await page.evaluate<number | null>(switching(path))
          if (ms === null) throw new Error(`${path} was not painted within ${String(limitMs)} ms`)
          seen.set(path, [...(seen.get(path) ?? []), ms])
        }
      say(`switches: round ${String(round + 1)} of ${String(rounds)}, ${String(paths.length)} pages`)
      await page.context().close()
    }
    const transferred = await measureTransfer(browser, origin, [...first.keys()])
    return [...measuresOf('first visit', first), ...measuresOf('again', again), ...transferred]
  } finally {
    await browser.close()
  }
}

/** What each page takes when it is the first that is opened, until nothing more is loaded. The target is for those on which a sign-in lands. */
async function measureTransfer(browser: Browser, origin: string, paths: readonly string[]): Promise<Measure[]> {
  const signedIn = await signIn(browser, origin)
  const storageState = await signedIn.context().storageState()
  await signedIn.context().close()
  const measures: Measure[] = []
  for (const path of paths) {
    const context = await browser.newContext({ locale: 'en-GB', storageState })
    const page = await context.newPage()
    const transfer = await countTransfer(page)
    await page.goto(`${origin}${path}`)
    await page.waitForLoadState('networkidle')
    const name = path.replace('/dashboard/', '')
    const target = name === 'overview' || name === 'start' ? { target: { most: 75 } } : {}
    measures.push({ of: 'transferred', name: `${name}, opened first`, value: transfer.bytes / 1000, unit: 'kB', ...target })
    await context.close()
  }
  return measures
}

/** A new browser context: nothing is cached. */
async function signIn(browser: Browser, origin: string): Promise<Page> {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  await page.goto(`${origin}/dashboard/account`)
  await page.getByRole('textbox', { name: 'Phone' }).fill('998900000000')
  await page.locator('input[type=password]').fill('sandbox')
  await page.locator('button[type=submit]').click()
  await page.locator('nav a').first().waitFor({ state: 'attached' })
  await page.waitForLoadState('networkidle')
  return page
}

/** Runs in the page: clicks the link, and waits for the heading of the page, for the end of its skeletons, and for the frame that shows it. */
function switching(path: string): string {
  return `new Promise((resolve) => {
    const path = ${JSON.stringify(path)}
    const link = document.querySelector('nav a[href="' + path + '"]')
    const isShown = () =>
      location.pathname === path &&
      document.querySelector('main h1')?.textContent.trim() === link.textContent.trim() &&
      document.querySelector('main h1 ~ *') !== null &&
      document.querySelector('main [aria-busy=true]') === null
    const start = performance.now()
    const took = () => performance.now() - start
    // A frame is painted when the next one begins.
    const check = () => {
      if (isShown()) requestAnimationFrame(() => resolve(took()))
      else if (took() > ${String(limitMs)}) resolve(null)
      else requestAnimationFrame(check)
    }
    link.click()
    check()
  })`
}

/** Of each page its median, and the slowest of all. */
function measuresOf(name: string, seen: ReadonlyMap<string, readonly number[]>): Measure[] {
  const of = `switches ${name}`
  const pages = [...seen].map(([path, times]) => ({ page: path.replace('/dashboard/', ''), value: median(times) }))
  return [
    ...pages.map(({ page, value }) => ({ of, name: page, value, unit: 'ms', target: { most: 200 } })),
    { of, name: 'median of all', value: median([...seen.values()].flat()), unit: 'ms', target: { most: 200 } },
    { of, name: 'the slowest of all', value: largest([...seen.values()].flat()), unit: 'ms' },
  ]
}

const limitMs = 10_000

/** An expression for the page. */
const pathsOfNavigation = `[...document.querySelectorAll('nav a[href^="/dashboard/"]')].map((link) => link.getAttribute('href'))`
