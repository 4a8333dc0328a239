import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import type * as Playwright from 'playwright-core'
import type { Browser } from 'playwright-core'

import { FormCheckError } from '../finding.ts'

export interface LaunchOptions {
  /** The browser's executable; null: search for one. */
  readonly browserPath: string | null
  readonly onProgress: (line: string) => void
}

/** Starts a Chromium without a window. Throws `FormCheckError` with what to install when playwright-core or the browser is missing. */
export async function launchBrowser({ browserPath, onProgress }: LaunchOptions): Promise<Browser> {
  const executablePath = findBrowser(browserPath, { env: process.env, platform: process.platform })
  const { chromium } = await loadPlaywright()
  onProgress(`Starting ${executablePath}`)
  return chromium
    .launch({
      executablePath,
      args: launchArguments(),
      // The command line handles signals itself and closes the browser.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      timeout: launchTimeoutMs,
    })
    .catch((err: unknown) => {
      throw new FormCheckError(`${executablePath} does not start: ${firstLineOf(err)}. To check the source only, use --static.`, {
        cause: err,
      })
    })
}

/** playwright-core is an optional peer dependency: only the check in a browser needs it. `load` is replaced in tests. */
export async function loadPlaywright(load: () => Promise<typeof Playwright> = () => import('playwright-core')): Promise<typeof Playwright> {
  return load().catch((err: unknown) => {
    const isMissing = err instanceof Error && 'code' in err && err.code === 'ERR_MODULE_NOT_FOUND'
    if (!isMissing) throw err
    throw new FormCheckError(
      'The package playwright-core is not installed. It drives the browser that checks a page. ' +
        'Install it in the folder of Tessera (npm install --no-save playwright-core), or check the source only with --static.',
      { cause: err },
    )
  })
}

/** The first line of an error's message, shortened. */
export function firstLineOf(err: unknown): string {
  return (err instanceof Error ? err.message : String(err)).split('\n')[0]?.slice(0, 200) ?? ''
}

function findBrowser(path: string | null, { env, platform }: { env: NodeJS.ProcessEnv; platform: NodeJS.Platform }): string {
  if (path !== null) {
    if (isExecutable(path)) return path
    throw new FormCheckError(`${path} is not an executable program. ${browserAdvice}`)
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const inPath = folders.flatMap((folder) => browserNames.map((name) => join(folder, name)))
  const found = [...inPath, ...(browserPaths[platform] ?? [])].find(isExecutable)
  if (found === undefined) throw new FormCheckError(`No Chromium was found on this machine. ${browserAdvice}`)
  return found
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/**
 * No background traffic: only the page's own requests. Each site in a process of its own, as cardholders' browsers have it; Chromium's headless
 * shell does not by default. Chromium refuses to run its sandbox as root.
 */
function launchArguments(): string[] {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run', '--disable-quic']
  // Names that never exist (RFC 2606, RFC 6761) are not asked for: without a network that takes seconds.
  const names = '--host-resolver-rules=MAP *.example ~NOTFOUND, MAP *.invalid ~NOTFOUND'
  return ['--site-per-process', names, ...quiet, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
}

const launchTimeoutMs = 30_000
const browserAdvice =
  'Install one (Debian: apt-get install chromium; or Google Chrome or Microsoft Edge), give its path with --browser <path>, or check the source only with --static.'
const browserNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge', 'chrome.exe', 'msedge.exe']
const browserPaths: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
}
