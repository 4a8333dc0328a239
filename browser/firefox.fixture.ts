import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { findFirefox } from '../tools/other-browsers.ts'
import { startBrowserProgram, type OtherBrowser } from './other-browser.fixture.ts'

/** Firefox, driven by WebDriver BiDi (W3C) over its own WebSocket, without a driver. */
export async function startFirefox(): Promise<OtherBrowser> {
  const program = findFirefox() ?? assert.fail('Firefox is missing: npm test installs it, or say apt-get install firefox-esr')
  const profile = mkdtempSync(join(tmpdir(), 'tessera-firefox-'))
  writeFileSync(join(profile, 'user.js'), preferences.map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`).join(''))
  const env = { HOME: profile, MOZ_CRASHREPORTER_DISABLE: '1' }
  const started = startBrowserProgram(
    program,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0', 'about:blank'],
    {
      env,
    },
  )
  const address = await started.readLine(/WebDriver BiDi listening on (ws:\S+)/)
  const { send, close } = await connect(`${address}/session`)
  await send('session.new', { capabilities: {} })
  const { contexts } = (await send('browsingContext.getTree', {})) as ContextTree
  const top = contexts[0]?.context ?? assert.fail('Firefox has no window')
  const findFrame = async (): Promise<string | undefined> => {
    const tree = (await send('browsingContext.getTree', { root: top })) as ContextTree
    return tree.contexts[0]?.children[0]?.context
  }
  const frame = async (): Promise<string> => (await findFrame()) ?? assert.fail('the page has no frame')
  const evaluate = async (context: string, expression: string): Promise<unknown> => {
    const evaluated = (await send('script.evaluate', {
      expression: `(async () => JSON.stringify(await (${expression})))()`,
      target: { context },
      awaitPromise: true,
    })) as EvaluateResult
    if (evaluated.type !== 'success') throw new Error(evaluated.exceptionDetails.text)
    return evaluated.result.value === undefined ? undefined : (JSON.parse(evaluated.result.value) as unknown)
  }
  return {
    name: 'Firefox',
    async open(url) {
      await send('browsingContext.navigate', { context: top, url, wait: 'complete' })
    },
    inPage: (expression) => evaluate(top, expression),
    inFrame: async (expression) => evaluate(await frame(), expression),
    async click(selector) {
      const context = await frame()
      const { nodes } = (await send('browsingContext.locateNodes', { context, locator: { type: 'css', value: selector } })) as LocatedNodes
      const element = { sharedId: nodes[0]?.sharedId ?? assert.fail(`no element matches ${selector}`) }
      const actions = [
        { type: 'pointerMove', x: 0, y: 0, origin: { type: 'element', element } },
        ...['pointerDown', 'pointerUp'].map((type) => ({ type, button: 0 })),
      ]
      await send('input.performActions', { context, actions: [{ type: 'pointer', id: 'mouse', actions }] })
    },
    async press(keys) {
      const actions = Array.from(keys).flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })))
      await send('input.performActions', { context: (await findFrame()) ?? top, actions: [{ type: 'key', id: 'keys', actions }] })
    },
    async stop() {
      await send('browser.close', {}).catch(() => undefined)
      close()
      await started.stop()
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

interface ContextTree {
  readonly contexts: readonly { readonly context: string; readonly children: readonly { readonly context: string }[] }[]
}
interface LocatedNodes {
  readonly nodes: readonly { readonly sharedId: string }[]
}
type EvaluateResult =
  | { readonly type: 'success'; readonly result: { readonly value?: string } }
  | { readonly type: 'exception'; readonly exceptionDetails: { readonly text: string } }

interface Connection {
  send: (method: string, params: object) => Promise<unknown>
  close: () => void
}

async function connect(address: string): Promise<Connection> {
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error(`cannot connect to ${address}`))
  })
  const pending = new Map<number, { resolve: (value: unknown) => void; reject: (err: Error) => void }>()
  socket.onmessage = ({ data: text }: MessageEvent<string>) => {
    const { id, type, result, error, message } = JSON.parse(text) as Record<string, unknown>
    const request = pending.get(Number(id))
    pending.delete(Number(id))
    if (type === 'success') request?.resolve(result)
    else request?.reject(new Error(`${String(error)}: ${String(message)}`))
  }
  socket.onclose = () => {
    for (const { reject } of pending.values()) reject(new Error('Firefox closed the connection'))
  }
  let last = 0
  return {
    send: (method, params) =>
      new Promise((resolve, reject) => {
        pending.set(++last, { resolve, reject })
        socket.send(JSON.stringify({ id: last, method, params }))
      }),
    close: () => socket.close(),
  }
}

/** No background traffic, and no first-run dialogs. */
const preferences: readonly [name: string, value: string | number | boolean][] = [
  ['app.update.auto', false],
  ['app.normandy.enabled', false],
  ['browser.safebrowsing.malware.enabled', false],
  ['browser.safebrowsing.phishing.enabled', false],
  ['browser.shell.checkDefaultBrowser', false],
  ['datareporting.policy.dataSubmissionEnabled', false],
  ['extensions.systemAddon.update.enabled', false],
  ['network.captive-portal-service.enabled', false],
  ['network.connectivity-service.enabled', false],
  ['services.settings.server', 'data:,'],
  ['toolkit.telemetry.enabled', false],
]
