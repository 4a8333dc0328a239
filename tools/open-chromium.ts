import { chromium, type Browser } from 'playwright-core'
import { chromiumFlags, findChromium, findTestBrowser } from './chromium.ts'

/**
 * The Chromium that the test runner shares among the files of a folder, or one of the test's own. Closing it ends only what this test opened.
 * `isWhole`: with the program around the pages, for what only that has, such as saved cards.
 */
export async function openChromium({ isShared = true, isWhole = false }: BrowserOptions = {}): Promise<Browser> {
  const endpoint = isShared && !isWhole ? (process.env.TESSERA_TEST_BROWSER ?? '') : ''
  return endpoint === '' ? chromium.launch(readLaunchOptions(isWhole ? findChromium() : findTestBrowser())) : chromium.connect(endpoint)
}

export type BrowserOptions = { isShared?: boolean; isWhole?: boolean }

/** Starts a Chromium for several processes; `endpoint` is what they connect to. */
export async function serveChromium(): Promise<{ readonly endpoint: string; stop: () => Promise<void> }> {
  const server = await chromium.launchServer({
    ...readLaunchOptions(findTestBrowser()),
    host: '127.0.0.1',
    // Playwright would end this process before it has said what failed.
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  })
  return { endpoint: server.wsEndpoint(), stop: () => server.close() }
}

function readLaunchOptions(executablePath: string | null): { executablePath: string; args: string[] } {
  if (executablePath === null) throw new Error('Chromium is missing: npm test installs it, or: apt-get install chromium')
  return { executablePath, args: chromiumFlags() }
}
