import { chromium, type Browser } from 'playwright-core'
import { chromiumFlags, findChromium } from './chromium.ts'

/** The Chromium that the test runner shares among the files of a folder, or one of the test's own. Closing it ends only what this test opened. */
export async function openChromium({ isShared = true }: { isShared?: boolean } = {}): Promise<Browser> {
  const endpoint = isShared ? (process.env.TESSERA_TEST_BROWSER ?? '') : ''
  return endpoint === '' ? chromium.launch(readLaunchOptions()) : chromium.connect(endpoint)
}

/** Starts a Chromium for several processes; `endpoint` is what they connect to. */
export async function serveChromium(): Promise<{ readonly endpoint: string; stop: () => Promise<void> }> {
  const server = await chromium.launchServer({ ...readLaunchOptions(), host: '127.0.0.1' })
  return { endpoint: server.wsEndpoint(), stop: () => server.close() }
}

function readLaunchOptions(): { executablePath: string; args: string[] } {
  const executablePath = findChromium()
  if (executablePath === null) throw new Error('Chromium is missing: npm test installs it, or: apt-get install chromium')
  return { executablePath, args: chromiumFlags() }
}
