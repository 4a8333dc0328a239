import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type AddressInfo } from 'node:net'

import { findWebKitBrowser, findWebKitDriver, findXvfb } from '../tools/other-browsers.ts'
import { startProgram, type OtherBrowser } from './other-browser.fixture.ts'

/** WebKitGTK by WebDriver (W3C, HTTP), on a display without a screen. */
export async function startWebKit(): Promise<OtherBrowser> {
  const [driver, binary, xvfb] = [findWebKitDriver(), findWebKitBrowser(), findXvfb()]
  assert.ok(driver && binary && xvfb, 'WebKitGTK is missing: npm test installs it, or say apt-get install webkit2gtk-driver xvfb')
  const home = mkdtempSync(join(tmpdir(), 'tessera-webkit-'))
  // It takes a free number by itself, and tells it by the pipe with number 3.
  const screen = startProgram(xvfb, ['-displayfd', '3', '-screen', '0', '1024x768x24', '-nolisten', 'tcp'], { extraPipe: true })
  const display = `:${await screen.readLine(/^(\d+)$/)}`
  const port = await freePort()
  const env = {
    DISPLAY: display,
    HOME: home,
    XDG_CACHE_HOME: home,
    XDG_DATA_HOME: home,
    LIBGL_ALWAYS_SOFTWARE: '1',
    GDK_BACKEND: 'x11',
    NO_AT_BRIDGE: '1',
  }
  const started = startProgram(driver, [`--port=${String(port)}`, '--host=127.0.0.1'], { env })
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const reply = await fetch(`http://127.0.0.1:${String(port)}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const { value } = (await reply.json()) as { value: unknown }
    if (!reply.ok) throw new Error(`${path}: ${JSON.stringify(value)}`)
    return value
  }
  await answering(() => ask('GET', '/status'))
  const wanted = { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } }
  const { sessionId } = (await ask('POST', '/session', { capabilities: { alwaysMatch: wanted } })) as { sessionId: string }
  const session = `/session/${sessionId}`
  const post = (path: string, body: object = {}): Promise<unknown> => ask('POST', session + path, body)
  const find = async (selector: string): Promise<object> => (await post('/element', { using: 'css selector', value: selector })) as object
  const intoPage = (): Promise<unknown> => post('/frame', { id: null })
  const intoFrame = async (): Promise<void> => {
    await intoPage()
    await post('/frame', { id: await find('iframe') })
  }
  const evaluate = async (expression: string): Promise<unknown> => {
    const script = `const done = arguments[0]; Promise.resolve().then(() => (${expression})).then((value) => done([JSON.stringify(value)]), (err) => done([undefined, String(err)]))`
    const [text, fault] = (await post('/execute/async', { script, args: [] })) as [string | null, string?]
    if (fault !== undefined) throw new Error(fault)
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
      await ask('DELETE', session).catch(() => undefined)
      await started.stop()
      await screen.stop()
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function answering(ask: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await ask()
      return
    } catch (err) {
      if (tries === triesMax) throw err
      await new Promise((resolve) => setTimeout(resolve, tryEveryMs))
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const triesMax = 100
const tryEveryMs = 100
