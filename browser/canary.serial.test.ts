// time limit: 60 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { enterCode, startTestBed, type OpenForm, type TestBed } from './form.fixture.ts'

/** Not a card: the check digit is wrong, and its digits occur nowhere else by chance. */
const canary = '8600714253698013'
const success = '8600495473316478'

/** Matches any four consecutive digits of the number between the first and the last four, grouped or not. */
function middleDigitsOf(pan: string): RegExp {
  const middle = Array.from({ length: pan.length - 7 }, (_, index) => pan.slice(index + 4, index + 8))
  return new RegExp(middle.map((four) => four.replace(/\d(?=\d)/g, '$&[ -]?')).join('|'))
}

describe('the digits of a typed card', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  it('would be found by this search', () => {
    const search = middleDigitsOf(success)
    for (const text of ['x4954x', '49 54', '8600 4954 7331 6478', '33164']) assert.match(text, search)
    assert.doesNotMatch('8600***', search)
  })

  for (const [title, pan, isAccepted] of [
    ['an accepted card', success, true],
    ['an invalid number', canary, false],
  ] as const) {
    it(`are in no message, element, address, storage or console line: ${title}`, async () => {
      const messages: string[] = []
      const addresses: string[] = []
      const opened = await testBed.open({
        prepare: async (page) => {
          await page.exposeFunction('recordMessage', (text: string) => void messages.push(text))
          await page.addInitScript(recordAllMessages)
          page.on('request', (request) => addresses.push(request.url(), JSON.stringify(request.headers())))
        },
      })
      const found: Record<string, string> = {}
      const search = middleDigitsOf(pan)
      await opened.form.locator('#number').pressSequentially(pan.replace(/(.{4})(?=.)/g, '$1 '))
      assert.equal((await opened.form.locator('#number').inputValue()).replaceAll(' ', ''), pan)
      await opened.form.locator('#expiry').pressSequentially('0399')
      for (const [source, text] of Object.entries(await collectTexts(opened))) found[`typed: ${source}`] = text
      await opened.form.locator('#expiry').press('Enter')
      if (isAccepted) await enterCode(opened)
      await opened.form
        .locator(isAccepted ? '.done h2' : '.fault:visible')
        .first()
        .waitFor()
      for (const [source, text] of Object.entries(await collectTexts(opened))) found[`submitted: ${source}`] = text
      found['messages'] = messages.join('\n')
      found['addresses'] = addresses.join('\n')
      found['console'] = opened.consoleLines.join('\n')
      // The page gets the one, the cardholder sees the other.
      const masks = [`${pan.slice(0, 4)}***${pan.slice(-4)}`, `${pan.slice(0, 4)} •••• ${pan.slice(-4)}`]
      for (const [source, text] of Object.entries(found)) {
        const unmasked = masks.reduce((rest, mask) => rest.replaceAll(mask, ''), text)
        assert.doesNotMatch(unmasked, search, source)
      }
      assert.ok(messages.some((text) => text.includes('"ready"')) && messages.some((text) => text.includes('"tessera":1')))
      assert.ok(isAccepted === messages.some((text) => text.includes('"token"')))
      await opened.page.close()
    })
  }

  it('are removed from the fields as soon as the service has the card', async () => {
    const opened = await testBed.open()
    await opened.form.locator('#number').fill(success)
    await opened.form.locator('#expiry').fill('03/99')
    await opened.form.locator('#expiry').press('Enter')
    await opened.form.locator('#code').waitFor()
    const frame = await opened.frame()
    const values = await frame.evaluate(() =>
      [...document.querySelectorAll('input')].map(({ id, type, value }) => [id || type, value] as const),
    )
    assert.equal(values.length, 4)
    assert.deepEqual(Object.fromEntries(values), { number: '', expiry: '', checkbox: 'on', code: '' })
    await opened.page.close()
  })
})

/** Every text in which a script in the page, or developer tools in the frame, could find a digit, except the values of inputs. */
async function collectTexts({ page, frame }: OpenForm): Promise<Record<string, string>> {
  const inside = await frame()
  const collect = (): string => {
    // A browser that blocks storage in third-party frames throws.
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
    page: await page.evaluate(collect),
    frame: await inside.evaluate(collect),
    markup: (await inside.content()).replace(/<(script|style)[^]*?<\/\1>/g, ''),
    stored: JSON.stringify(await page.context().storageState()),
    entries: entries.join('\n'),
    events: JSON.stringify(await page.evaluate(() => (globalThis as unknown as { formEvents?: object }).formEvents ?? null)),
  }
}

/** Runs in page and frame before any other script: records every message that a window, port, channel or worker sends or receives. */
function recordAllMessages(): void {
  const { recordMessage } = globalThis as unknown as { recordMessage: (text: string) => Promise<void> }
  const record = (value: unknown): void => {
    void recordMessage(JSON.stringify(value ?? null))
  }
  for (const sender of [MessagePort.prototype, Window.prototype, BroadcastChannel.prototype, Worker.prototype]) {
    const { postMessage } = sender as unknown as { postMessage?: (...args: unknown[]) => void }
    if (postMessage === undefined) continue
    Object.assign(sender, {
      postMessage(this: unknown, ...args: unknown[]) {
        record(args[0])
        Reflect.apply(postMessage, this, args)
      },
    })
  }
  addEventListener('message', ({ data }) => record(data), true)
  const add = EventTarget.prototype.addEventListener
  const Channel = MessageChannel
  globalThis.MessageChannel = class extends Channel {
    constructor() {
      super()
      for (const port of [this.port1, this.port2]) add.call(port, 'message', (event) => record((event as MessageEvent).data))
    }
  }
}
