import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { findFreePort } from '../tools/free-port.ts'
import { findWebKitBrowser, findWebKitDriver, findXvfb } from '../tools/other-browsers.ts'
import { startBrowserProgram, type OtherBrowser, type RunningProgram } from './other-browser.fixture.ts'

/** WebKitGTK, driven by WebDriver (W3C, HTTP) on a virtual display. */
export async function startWebKit(): Promise<OtherBrowser> {
  const [driver, binary, xvfb] = [findWebKitDriver(), findWebKitBrowser(), findXvfb()]
  assert.ok(driver && binary && xvfb, 'WebKitGTK is missing: npm test installs it, or say apt-get install webkit2gtk-driver xvfb')
  const home = mkdtempSync(join(tmpdir(), 'tessera-webkit-'))
  // Xvfb chooses a free display number and writes it to file descriptor 3.
  const screen = startBrowserProgram(xvfb, ['-displayfd', '3', '-screen', '0', '1024x768x24', '-nolisten', 'tcp'], { extraPipe: true })
  const display = `:${await screen.readLine(/^(\d+)$/)}`
  const env = {
    DISPLAY: display,
    HOME: home,
    XDG_CACHE_HOME: home,
    XDG_DATA_HOME: home,
    LIBGL_ALWAYS_SOFTWARE: '1',
    GDK_BACKEND: 'x11',
    NO_AT_BRIDGE: '1',
  }
  const { started, request } = await startDriver(driver, env)
  const wanted = { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } }
  const { sessionId } = (await request('POST', '/session', { capabilities: { alwaysMatch: wanted } })) as { sessionId: string }
  const session = `/session/${sessionId}`
  const post = (path: string, body: object = {}): Promise<unknown> => request('POST', session + path, body)
  const find = async (selector: string): Promise<object> => (await post('/element', { using: 'css selector', value: selector })) as object
  const intoPage = (): Promise<unknown> => post('/frame', { id: null })
  const intoFrame = async (): Promise<void> => {
    await intoPage()
    await post('/frame', { id: await find('iframe') })
  }
  const evaluate = async (expression: string): Promise<unknown> => {
    const script = `const done = arguments[0]; Promise.resolve().then(() => (${expression})).then((value) => done([JSON.stringify(value)]), (err) => done([undefined, String(err)]))`
    const [text, error] = (await post('/execute/async', { script, args: [] })) as [string | null, string?]
    if (error !== undefined) throw new Error(error)
    return typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined
  }
  return {
    name: 'WebKitGTK',
    async open(url) {
      await post('/url', { url })
    },
    inPage: async (expression) => intoPage().then(() => evaluate(expression)),
    inFrame: async (expression) => intoFrame().then(() => evaluate(expression)),
    async click(selector) {
      await intoFrame()
      const element = Object.values(await find(selector))[0] as string
      await post(`/element/${element}/click`)
    },
    async press(keys) {
      await intoPage()
      if ((await evaluate('document.activeElement?.tagName')) === 'IFRAME') await intoFrame()
      const actions = Array.from(keys).flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })))
      await post('/actions', { actions: [{ type: 'key', id: 'keys', actions }] })
    },
    async stop() {
      await request('DELETE', session).catch(() => undefined)
      await started.stop()
      await screen.stop()
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

type WebDriverRequest = (method: string, path: string, body?: object) => Promise<unknown>

/** The driver does not choose a port, and ends at once when its port was taken in the meantime: then another port is tried. */
async function startDriver(
  driver: string,
  env: Readonly<Record<string, string>>,
): Promise<{ started: RunningProgram; request: WebDriverRequest }> {
  for (let starts = 1; ; starts++) {
    const port = await findFreePort()
    const started = startBrowserProgram(driver, [`--port=${String(port)}`, '--host=127.0.0.1'], { env })
    const request: WebDriverRequest = (...args) => sendRequest(port, ...args)
    if (await isResponding(started, () => request('GET', '/status'))) return { started, request }
    await started.stop()
    if (starts === maxStarts) throw new Error(`${driver} does not respond after ${String(starts)} starts`)
  }
}

async function sendRequest(port: number, ...[method, path, body]: Parameters<WebDriverRequest>): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const { value } = (await response.json()) as { value: unknown }
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(value)}`)
  return value
}

/** Whether the program responds. False when it ended, or did not respond in time. */
async function isResponding({ child }: RunningProgram, request: () => Promise<unknown>): Promise<boolean> {
  const endsAt = performance.now() + startTimeoutMs
  while (child.exitCode === null && child.signalCode === null && performance.now() < endsAt) {
    const hasResponse = await request().then(
      () => true,
      () => false,
    )
    if (hasResponse) return true
    await new Promise((resolve) => setTimeout(resolve, pollIntervalMs))
  }
  return false
}

const maxStarts = 3
const startTimeoutMs = 40_000
const pollIntervalMs = 100
