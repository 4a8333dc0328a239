import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import { randomBytes } from 'node:crypto'
import type { Browser } from 'playwright-core'

import { CannotCheck } from '../cannot-check.ts'
import type { Finding } from '../finding.ts'
import type { ListedScript } from '../inventory.ts'
import { hideSecrets } from '../secrets.ts'

import { checkOpened } from './check-opened.ts'
import { findBrowser } from './find-browser.ts'
import type { LiveAsked } from './live-asked.ts'
import { serveFolder, type Served } from './serve-folder.ts'

export interface LiveReport {
  readonly browser: string
  readonly pages: readonly string[]
  readonly formOrigin: string | null
  readonly findings: readonly Finding[]
  readonly scripts: readonly ListedScript[]
  readonly notes: readonly string[]
}

/** Opens each page in a browser of its own profile and holds it against the rules. Throws `CannotCheck`. */
export async function checkLive(asked: LiveAsked, paths: readonly string[]): Promise<LiveReport> {
  const program = findBrowser(asked.browserPath, { env: process.env, platform: process.platform })
  const served = await serve(asked.target)
  const { chromium } = await import('playwright-core')
  asked.progress(`Starting ${program}`)
  const options = { executablePath: program, handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false, timeout: LAUNCH_MS }
  const browser = await chromium.launch({ ...options, args: flags() }).catch((err: unknown) => {
    served?.close()
    throw new CannotCheck(`${program} does not start: ${wordOf(err)}. Check the source alone with --static.`, { cause: err })
  })
  const stop = (): void => void browser.close().catch(() => undefined)
  asked.signal.addEventListener('abort', stop, { once: true })
  try {
    return await checkEach(asked, { browser, served, paths })
  } finally {
    asked.signal.removeEventListener('abort', stop)
    await browser.close().catch(() => undefined)
    served?.close()
  }
}

async function checkEach(
  asked: LiveAsked,
  { browser, served, paths }: { browser: Browser; served: Served | null; paths: readonly string[] },
): Promise<LiveReport> {
  const opened = paths.slice(0, PAGES_MAX)
  const reports = []
  for (const [index, path] of opened.entries()) {
    asked.signal.throwIfAborted()
    asked.progress(`Opening ${path} (${index + 1} of ${opened.length})`)
    const names = { key: `k${randomBytes(12).toString('hex')}`, tell: `t${randomBytes(12).toString('hex')}` }
    // A worker of the page's own could answer for the network: none is let in, so that every request is seen.
    const context = await browser.newContext({ serviceWorkers: 'block', viewport: { width: 1280, height: 1600 }, ignoreHTTPSErrors: false })
    await context.addCookies(readCookies(asked.cookies, served?.addressOf(path) ?? path))
    const late = setTimeout(() => void context.close().catch(() => undefined), asked.pageMs)
    try {
      reports.push(await checkOpened(asked, { context, names, path, address: served?.addressOf(path) ?? path }))
    } catch (err) {
      asked.signal.throwIfAborted()
      throw err instanceof CannotCheck
        ? err
        : new CannotCheck(`${path} could not be checked in the browser: ${wordOf(err)}`, { cause: err })
    } finally {
      clearTimeout(late)
      await context.close().catch(() => undefined)
    }
  }
  const left =
    paths.length > opened.length
      ? [`Only the first ${PAGES_MAX} of ${paths.length} pages were opened in the browser; of the others the source was checked.`]
      : []
  return {
    browser: `Chromium ${browser.version()}`,
    pages: opened.map(hideSecrets),
    formOrigin: asked.formOrigin ?? reports.find(({ formOrigin }) => formOrigin !== null)?.formOrigin ?? null,
    findings: reports.flatMap(({ findings }) => findings),
    scripts: reports.flatMap(({ scripts }) => scripts),
    notes: [...new Set([...reports.flatMap(({ notes }) => notes), ...left])],
  }
}

/** As a Cookie header has them (RFC 6265 §4.2.1). */
function readCookies(text: string | null, url: string): { name: string; value: string; url: string }[] {
  const pairs = (text ?? '').split(';').map((pair) => /^\s*([^=\s]+)=(.*?)\s*$/.exec(pair))
  return pairs.flatMap((pair) => (pair === null ? [] : [{ name: pair[1] ?? '', value: pair[2] ?? '', url }]))
}

/** A folder is opened as a site; so is the folder of one file. */
async function serve(target: string): Promise<Served | null> {
  if (/^https?:\/\//i.test(target)) return null
  return serveFolder(statSync(target).isDirectory() ? target : dirname(target))
}

/** Without a byte to anybody but the page's own. Root has no sandbox to offer it. */
function flags(): string[] {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic']
  return [...quiet, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
}

function wordOf(err: unknown): string {
  return (err instanceof Error ? err.message : String(err)).split('\n')[0]?.slice(0, 200) ?? ''
}

const PAGES_MAX = 25
const LAUNCH_MS = 30_000
