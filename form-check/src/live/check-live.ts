import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Browser } from 'playwright-core'

import { FormCheckError, type FormCheckFinding } from '../finding.ts'
import type { InventoryScript } from '../inventory.ts'
import { redactSecrets } from '../redact-secrets.ts'

import { checkLivePage, type LiveCheckOptions, type LivePageReport } from './check-live-page.ts'
import { firstLineOf, launchBrowser } from './launch-browser.ts'
import { serveFolder, type FolderServer } from './serve-folder.ts'

export interface LiveReport {
  readonly browser: string
  readonly pages: readonly string[]
  readonly formOrigin: string | null
  readonly findings: readonly FormCheckFinding[]
  readonly scripts: readonly InventoryScript[]
  readonly notes: readonly string[]
}

/** Opens each page in a browser, with a fresh profile, and checks it against the rules. Throws `FormCheckError`. */
export async function checkLive(options: LiveCheckOptions, paths: readonly string[]): Promise<LiveReport> {
  const browser = await launchBrowser(options)
  const closeBrowser = (): Promise<void> => browser.close().catch(() => undefined)
  const onAbort = (): void => void closeBrowser()
  options.signal.addEventListener('abort', onAbort, { once: true })
  try {
    const server = await serveTarget(options.target)
    try {
      return await checkPages(options, { browser, server, paths })
    } finally {
      server?.close()
    }
  } finally {
    options.signal.removeEventListener('abort', onAbort)
    await closeBrowser()
  }
}

async function checkPages(
  options: LiveCheckOptions,
  { browser, server, paths }: { browser: Browser; server: FolderServer | null; paths: readonly string[] },
): Promise<LiveReport> {
  const opened = paths.slice(0, maxPages)
  const reports: LivePageReport[] = []
  const queue = [...opened.entries()]
  // Each page has a context of its own, so pages do not disturb each other.
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, path] = next
      options.signal.throwIfAborted()
      options.onProgress(`Opening ${path} (${index + 1} of ${opened.length})`)
      reports[index] = await checkInNewContext(options, {
        browser,
        path,
        address: server?.addressOf(path) ?? path,
        isServedHere: server !== null,
      })
    }
  }
  await Promise.all(Array.from({ length: Math.min(maxParallelPages, opened.length) }, work))
  const limitNote =
    paths.length > opened.length
      ? [`Only the first ${maxPages} of ${paths.length} pages were opened in the browser; for the others only the source was checked.`]
      : []
  return {
    browser: `Chromium ${browser.version()}`,
    pages: opened.map(redactSecrets),
    formOrigin: options.formOrigin ?? reports.find(({ formOrigin }) => formOrigin !== null)?.formOrigin ?? null,
    findings: reports.flatMap(({ findings }) => findings),
    scripts: reports.flatMap(({ scripts }) => scripts),
    notes: [...new Set([...reports.flatMap(({ notes }) => notes), ...limitNote])],
  }
}

async function checkInNewContext(
  options: LiveCheckOptions,
  { browser, path, address, isServedHere }: { browser: Browser; path: string; address: string; isServedHere: boolean },
): Promise<LivePageReport> {
  // Random names: the page cannot guess them.
  const nameOf = (prefix: string): string => prefix + randomBytes(12).toString('hex')
  const names = { key: nameOf('k'), report: nameOf('r'), timers: nameOf('t') }
  // Service workers are blocked: a worker could respond in place of the network, and its requests would not be seen.
  const context = await browser.newContext({ serviceWorkers: 'block', viewport: { width: 1280, height: 1600 }, ignoreHTTPSErrors: false })
  await context.addCookies(parseCookies(options.cookies, address))
  const timer = setTimeout(() => void context.close().catch(() => undefined), options.pageTimeoutMs)
  try {
    return await checkLivePage(options, { context, names, path, address, isServedHere })
  } catch (err) {
    options.signal.throwIfAborted()
    throw err instanceof FormCheckError
      ? err
      : new FormCheckError(`${path} could not be checked in the browser: ${firstLineOf(err)}`, { cause: err })
  } finally {
    clearTimeout(timer)
    await context.close().catch(() => undefined)
  }
}

/** Parses the syntax of a Cookie header (RFC 6265 §4.2.1). */
function parseCookies(text: string | null, url: string): { name: string; value: string; url: string }[] {
  const pairs = (text ?? '').split(';').map((pair) => /^\s*([^=\s]+)=(.*?)\s*$/.exec(pair))
  return pairs.flatMap((pair) => (pair === null ? [] : [{ name: pair[1] ?? '', value: pair[2] ?? '', url }]))
}

/** A folder is served over HTTP; for a single file, its folder is. */
async function serveTarget(target: string): Promise<FolderServer | null> {
  if (/^https?:\/\//i.test(target)) return null
  return serveFolder(statSync(target).isDirectory() ? target : dirname(target))
}

const maxPages = 100
const maxParallelPages = 4
