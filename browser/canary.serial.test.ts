// time limit: 60 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { enterCode, startStage, type Opened, type Stage } from './form.fixture.ts'

/** No card's: its check digit is wrong, and its digits stand nowhere by chance. */
const canary = '8600714253698013'
const success = '8600495473316478'

/** Any four digits of the number in a row, the way people group it or not. */
function partsOf(pan: string): RegExp {
  const middle = Array.from({ length: pan.length - 7 }, (_, at) => pan.slice(at + 4, at + 8))
  return new RegExp(middle.map((four) => four.replace(/\d(?=\d)/g, '$&[ -]?')).join('|'))
}

describe('the digits of a card', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  it('would be found by this search', () => {
    const search = partsOf(success)
    for (const text of ['x4954x', '49 54', '8600 4954 7331 6478', '33164']) assert.match(text, search)
    assert.doesNotMatch('8600***', search)
  })

  for (const [what, pan, isTaken] of [
    ['a card that goes its whole way', success, true],
    ['a number that is not right', canary, false],
  ] as const) {
    it(`are in no message, element, address, store or line of the console: ${what}`, async () => {
      const messages: string[] = []
      const addresses: string[] = []
      const opened = await stage.open({
        prepare: async (page) => {
          await page.exposeFunction('keepMessage', (text: string) => void messages.push(text))
          await page.addInitScript(listenEverywhere)
          page.on('request', (request) => addresses.push(request.url(), JSON.stringify(request.headers())))
        },
      })
      const found: Record<string, string> = {}
      const search = partsOf(pan)
      await opened.form.locator('#number').pressSequentially(pan.replace(/(.{4})(?=.)/g, '$1 '))
      assert.equal((await opened.form.locator('#number').inputValue()).replaceAll(' ', ''), pan)
      await opened.form.locator('#expiry').pressSequentially('0399')
      for (const [place, text] of Object.entries(await looksOf(opened))) found[`typed: ${place}`] = text
      await opened.form.locator('#expiry').press('Enter')
      if (isTaken) await enterCode(opened)
      await opened.form
        .locator(isTaken ? '.done h2' : '.fault:visible')
        .first()
        .waitFor()
      for (const [place, text] of Object.entries(await looksOf(opened))) found[`sent: ${place}`] = text
      found['messages'] = messages.join('\n')
      found['addresses'] = addresses.join('\n')
      found['console'] = opened.lines.join('\n')
      const mask = `${pan.slice(0, 4)}***${pan.slice(-4)}`
      for (const [place, text] of Object.entries(found)) assert.doesNotMatch(text.replaceAll(mask, ''), search, place)
      assert.ok(messages.some((text) => text.includes('"ready"')) && messages.some((text) => text.includes('"tessera":1')))
      assert.ok(isTaken === messages.some((text) => text.includes('"token"')))
      await opened.page.close()
    })
  }

  it('are gone from the fields as soon as the service has the card, and when the page is left', async () => {
    const opened = await stage.open()
    await opened.form.locator('#number').fill(success)
    await opened.form.locator('#expiry').fill('03/99')
    await opened.form.locator('#expiry').press('Enter')
    await opened.form.locator('#code').waitFor()
    const frame = await opened.frame()
    assert.deepEqual(await frame.evaluate(() => [...document.querySelectorAll('input')].map(({ value }) => value)), ['', '', 'on', ''])
    await opened.page.close()
  })
})

/** Everything that somebody in the page, or with the developer's tools in the frame, could find a digit in. The values of inputs are not among it. */
async function looksOf({ page, frame }: Opened): Promise<Record<string, string>> {
  const inside = await frame()
  const marks = (): string => {
    // A browser that keeps its stores from frames of other sites says so by throwing.
    const read = (name: string): unknown => {
      try {
        return Reflect.get(globalThis, name)
      } catch {
        return ''
      }
    }
    const storages = ['localStorage', 'sessionStorage'].map((name) => JSON.stringify(read(name)))
    const attributes = [...document.querySelectorAll('*')].flatMap((element) =>
      [...element.attributes].map(({ name, value }) => `${name}=${value}`),
    )
    const texts = document.body.innerText
    const named = Object.getOwnPropertyNames(globalThis).map((name) => {
      const value = read(name)
      return typeof value === 'string' ? value : ''
    })
    return [
      location.href,
      document.title,
      document.cookie,
      window.name,
      JSON.stringify(history.state),
      ...storages,
      ...attributes,
      texts,
      ...named,
    ].join('\n')
  }
  const entries = await inside.evaluate(() => performance.getEntries().map(({ name }) => name))
  return {
    page: await page.evaluate(marks),
    frame: await inside.evaluate(marks),
    markup: (await inside.content()).replace(/<(script|style)[^]*?<\/\1>/g, ''),
    stored: JSON.stringify(await page.context().storageState()),
    entries: entries.join('\n'),
    said: JSON.stringify(await page.evaluate(() => (globalThis as unknown as { said?: object }).said ?? null)),
  }
}

/** Runs in the page and in the frame before anything else: every message, by a window, a port, a channel or a worker, in and out. */
function listenEverywhere(): void {
  const { keepMessage } = globalThis as unknown as { keepMessage: (text: string) => Promise<void> }
  const keep = (value: unknown): void => {
    void keepMessage(JSON.stringify(value ?? null))
  }
  for (const sender of [MessagePort.prototype, Window.prototype, BroadcastChannel.prototype, Worker.prototype]) {
    const { postMessage } = sender as unknown as { postMessage?: (...args: unknown[]) => void }
    if (postMessage === undefined) continue
    Object.assign(sender, {
      postMessage(this: unknown, ...args: unknown[]) {
        keep(args[0])
        Reflect.apply(postMessage, this, args)
      },
    })
  }
  addEventListener('message', ({ data: said }) => keep(said), true)
  const add = EventTarget.prototype.addEventListener
  const Channel = MessageChannel
  globalThis.MessageChannel = class extends Channel {
    constructor() {
      super()
      for (const port of [this.port1, this.port2]) add.call(port, 'message', (event) => keep((event as MessageEvent).data))
    }
  }
}
