// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { awaitWithin } from '../tools/await-within.ts'
import { pressInFrame } from '../tools/press-in-frame.ts'
import { enterCard, enterCode, startTestBed, type TestPage, type OpenForm, type TestBed } from './form.fixture.ts'

const success = '8600495473316478'
const typed = /8600|4954|7331|6478/

/** A script that an attacker injected into the merchant's page, before the SDK. */
function scriptOf(attack: () => void): string {
  return `<script>(${attack.toString()})()</script>`
}

describe('a page that attacks its card form', () => {
  let testBed: TestBed
  before(async () => {
    testBed = await startTestBed()
  })
  after(() => testBed.stop())

  it('1. reads no document, window property, storage or history of the frame', async () => {
    const opened = await testBed.open()
    await opened.form.locator('#number').fill(success)
    const results = await opened.page.evaluate(() => {
      const frame = document.querySelector('iframe')
      const inside = frame?.contentWindow as unknown as Record<string, unknown>
      const attempts: Record<string, () => unknown> = {
        document: () => frame?.contentDocument,
        innerDocument: () => inside['document'],
        name: () => inside['name'],
        find: () => (inside['find'] as (text: string) => boolean)('8600'),
        getSelection: () => (inside['getSelection'] as () => object)(),
        localStorage: () => inside['localStorage'],
        history: () => inside['history'],
        href: () => (inside['location'] as Location).href,
        addEventListener: () => (inside['addEventListener'] as (...args: unknown[]) => void)('keydown', () => undefined),
        byIndex: () => (window[0] as Window).document.body,
        eval: () => (inside['eval'] as (text: string) => unknown)('1'),
      }
      return Object.entries(attempts).map(([name, attempt]) => {
        try {
          return [name, String(attempt())]
        } catch (err) {
          return [name, (err as Error).name]
        }
      })
    })
    assert.deepEqual(
      results.filter(([, outcome]) => outcome !== 'SecurityError' && outcome !== 'null'),
      [],
    )
    assert.ok(results.length === 11)
    await opened.page.close()
  })

  it('2. receives no key, inner focus, composition or paste event of the frame, only that it has the focus', async () => {
    const opened = await testBed.open()
    for (const event of ['ready', 'load']) await opened.waitForEvent(event)
    await opened.page.evaluate(() => {
      const received: string[] = []
      Object.assign(globalThis, { received })
      const names = Object.keys(window).filter((name) => name.startsWith('on'))
      for (const name of names) {
        const event = name.slice(2)
        for (const target of [window, document]) target.addEventListener(event, ({ type }) => received.push(type), true)
      }
      for (const event of ['selectionchange', 'compositionstart', 'focusin', 'focusout']) {
        document.addEventListener(event, ({ type }) => received.push(type), true)
      }
    })
    await opened.form.locator('#number').focus()
    const receivedSince = async (): Promise<string[]> =>
      opened.page.evaluate(() =>
        (globalThis as unknown as { received: string[] }).received.splice(0).filter((name) => !/pointer|mouse|^device/.test(name)),
      )
    // Page and frame are different processes, so the focus moves between them asynchronously.
    await opened.page.waitForFunction(
      () => document.activeElement?.tagName === 'IFRAME' && (globalThis as unknown as { received: string[] }).received.includes('blur'),
    )
    await receivedSince()
    await opened.form.locator('#number').pressSequentially(success)
    await opened.form.locator('#expiry').pressSequentially('0399')
    assert.deepEqual(await receivedSince(), [])
    await opened.page.locator('h1').click()
    assert.ok((await receivedSince()).includes('click'), 'the listeners receive nothing at all')
    await opened.page.close()
  })

  it('3. cannot infer from the messages how many keys were pressed, or when', async () => {
    const opened = await testBed.open()
    await opened.waitUntilComplete()
    // That the form is empty.
    await opened.waitForEvents('change', 1)
    const countChanges = async (action: () => Promise<void>): Promise<number> => {
      const before = (await opened.eventValues('change')).length
      await action()
      return (await opened.eventValues('change')).length - before
    }
    const { form } = opened
    await form.locator('#number').press('8')
    await opened.waitForEvents('change', 2)
    assert.equal(await countChanges(() => form.locator('#number').pressSequentially('60')), 0)
    // The brand, from the fourth digit on.
    await form.locator('#number').press('0')
    await opened.waitForEvents('change', 3)
    assert.equal(await countChanges(() => form.locator('#number').pressSequentially('495473316478')), 0)
    assert.equal(await countChanges(() => form.locator('#expiry').pressSequentially('039')), 0)
    await form.locator('#expiry').press('9')
    const changes = (await opened.waitForEvents('change', 4)) as { complete: boolean }[]
    assert.deepEqual(
      changes.map(({ complete }) => complete),
      [false, false, false, true],
    )
    await opened.page.close()
  })

  it('4. gets no digit by replacing MessageChannel and prototypes before the SDK is loaded', async () => {
    const opened = await testBed.open({ head: scriptOf(pollute) })
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.waitForEvent('token')
    const stolen = await opened.page.evaluate(() => (globalThis as unknown as { stolen: string[] }).stolen)
    assert.ok(
      stolen.some((text) => text.includes('"type":"step"')),
      'the attacker received nothing at all, so the test proves nothing',
    )
    const [mask, ...more] = stolen.join().match(/8600\*\*\*6478/g) ?? []
    assert.ok(mask !== undefined && more.length === 0, 'the masked number is sent once, with the token')
    assert.doesNotMatch(stolen.join().replace(mask, ''), typed)
    assert.doesNotMatch(stolen.join(), /666666/)
    await opened.page.close()
  })

  it('5. gets no second port to a form that has one', async () => {
    const opened = await testBed.open()
    await opened.waitForEvent('ready')
    await opened.page.evaluate(() => {
      const frame = document.querySelector('iframe')
      const id = new URL(frame?.src ?? '').hash.slice(1)
      const received: unknown[] = []
      Object.assign(globalThis, { received })
      for (const hello of [{ tessera: 1, id }, { tessera: 1, id: '0'.repeat(32) }, { tessera: 2, id }, null]) {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = ({ data }) => received.push(data)
        frame?.contentWindow?.postMessage(hello, '*', [port2])
        port1.postMessage({ type: 'submit' })
      }
      // Its outcome, which is the error, is read from the event.
      void (globalThis as unknown as TestPage).form.submit()
    })
    assert.equal(((await opened.waitForEvent('error')) as { reason: string }).reason, 'number_missing')
    assert.equal((await opened.eventValues('error')).length, 1, 'another port pressed the button')
    assert.deepEqual(await opened.page.evaluate(() => (globalThis as unknown as { received: unknown[] }).received), [])
    await opened.page.close()
  })

  it('12. gets no first port with a guessed id or from a window that is not the parent, while the real hello is accepted', async () => {
    const opened = await testBed.open({ body: '<div id="card"></div><div id="raw"></div>' })
    const accepting = opened.page.evaluate(
      async ({ form, merchant }) => {
        const id = 'ab'.repeat(16)
        const [frame, other] = [document.createElement('iframe'), document.createElement('iframe')]
        const loaded = Promise.all([frame, other].map((each) => new Promise((resolve) => each.addEventListener('load', resolve))))
        frame.src = `${form}/form/v1?merchant=${merchant}&origin=${encodeURIComponent(location.origin)}#${id}`
        other.srcdoc = '<title>other</title>'
        document.getElementById('raw')?.append(frame, other)
        await loaded
        const received: string[] = []
        const sendHello = (name: string, sender: typeof globalThis, hello: unknown): Promise<unknown> => {
          const { port1, port2 } = new MessageChannel()
          Object.assign(sender, { frame, hello, port2 })
          // Evaluated in that window, so that it is the source of the message.
          sender.eval('frame.contentWindow.postMessage(hello, "*", [port2])')
          return new Promise((resolve) => (port1.onmessage = () => resolve(received.push(name))))
        }
        const responses = [sendHello('no parent', other.contentWindow as Window & typeof globalThis, { tessera: 1, id })]
        for (const guess of ['ab', 'AB'.repeat(16), '0'.repeat(32), [id], '']) {
          responses.push(sendHello(`guess ${String(guess)}`, window, { tessera: 1, id: guess }))
        }
        await Promise.race([...responses, sendHello('parent', window, { tessera: 1, id })])
        return received
      },
      { form: testBed.formOrigin, merchant: testBed.merchant },
    )
    assert.deepEqual(await awaitWithin(accepting, 'a port is accepted'), ['parent'])
    await opened.page.close()
  })

  it('6. changes no element, address or script with messages over the port', async () => {
    // With a theme from the beginning, and with what loads after it is ready, so that only what the messages add can change the count.
    const opened = await testBed.open({ options: { theme: {} } })
    await opened.waitUntilComplete()
    await opened.waitForEvent('ready')
    const frame = await opened.frame()
    const countElements = (): Promise<string> =>
      frame.evaluate(
        () => `${document.scripts.length} ${document.images.length} ${document.querySelectorAll('*').length} ${document.links.length}`,
      )
    const before = await countElements()
    const evil = '<img src=x onerror=alert(1)><script>alert(1)</script>'
    await opened.page.evaluate((text) => {
      const polluting = JSON.parse('{"__proto__":{"hacked":"yes"},"constructor":{"prototype":{"hacked":"yes"}}}') as object
      const { form } = globalThis as unknown as TestPage
      form.update({ labels: { number: text, submit: text, terms: text, goesTo: text, poweredBy: text, ...polluting } })
      form.update({ locale: text, layout: `"><b>`, direction: 'javascript:alert(1)', session: 'x'.repeat(10_000), theme: polluting })
      form.update(polluting)
    }, evil)
    await opened.form.locator('label', { hasText: evil }).waitFor()
    assert.equal(await countElements(), before)
    assert.equal(await frame.evaluate(() => (({}) as { hacked?: string }).hacked), undefined)
    assert.match((await opened.form.locator('footer').textContent()) ?? '', /your card details go to .*Powered by .*Terms.*Privacy/)
    await opened.page.close()
  })

  it('7. injects no address, selector or transparent color with the theme', async () => {
    // With a theme from the beginning, so that the script that reads it is there.
    const opened = await testBed.open({ options: { theme: {} } })
    await opened.waitUntilComplete()
    await opened.waitForEvent('ready')
    const requests: string[] = []
    opened.page.on('request', (request) => requests.push(request.url()))
    const frame = await opened.frame()
    await opened.page.evaluate((shop) => {
      const { form } = globalThis as unknown as TestPage
      for (const value of [
        `url(${shop}/leak)`,
        '#fff;} #number[value^="8"]{background:url(/leak)}',
        'rgba(0,0,0,0)',
        'transparent',
        'var(--x)',
        '#ffffff00',
        'image-set("x" 1x)',
      ])
        form.update({ theme: { background: value, text: value, field: value, fontFamily: value, radius: value, accent: value } })
      form.update({ theme: { fontSize: '0.01px', gap: '-900px', radius: '999999px', text: '#456789' } })
    }, testBed.shopOrigin)
    await frame.waitForFunction(() => document.documentElement.style.getPropertyValue('--text') === '#456789')
    const set = await frame.evaluate(() => document.documentElement.getAttribute('style'))
    assert.doesNotMatch(set ?? '', /url|rgba|transparent|var|image|;}|-900|999999/)
    assert.deepEqual(requests, [])
    const size = await opened.form.locator('footer').evaluate((footer) => Number.parseFloat(getComputedStyle(footer).fontSize))
    assert.equal(size, 13)
    await opened.page.close()
  })

  it('8. gets no card from a sandboxed frame without scripts or origin, and an error that the form does not respond', async () => {
    for (const sandbox of ['', 'allow-scripts', 'allow-scripts allow-forms']) {
      const opened = await testBed.open({ prepare: (page) => page.clock.install() })
      for (const event of ['ready', 'load']) await opened.waitForEvent(event)
      const loading = opened.page.evaluate(
        (value) =>
          new Promise((resolve) => {
            const frame = document.querySelector('iframe')
            frame?.addEventListener('load', resolve)
            frame?.setAttribute('sandbox', value)
            if (frame !== null) frame.src = frame.src.replace('#', '&again=1#')
          }),
        sandbox,
      )
      await awaitWithin(loading, 'the sandboxed frame has loaded')
      await (await opened.frame()).waitForURL(/again=1/)
      // The page's hello goes to an origin that such a frame does not have.
      await opened.page.clock.fastForward(10_000)
      assert.equal(await opened.form.locator('input').count(), 0, 'a form without a hello takes a card')
      assert.equal(((await opened.waitForEvent('error')) as { reason: string }).reason, 'frame_no_answer')
      assert.deepEqual([await opened.eventValues('token'), opened.callCount('cards.create')], [[], 0], `sandbox="${sandbox}"`)
      assert.doesNotMatch(JSON.stringify(await opened.page.evaluate(() => (globalThis as unknown as TestPage).formEvents)), typed)
      await opened.page.close()
    }
  })

  it('9. finds an empty form after navigating the frame away and back', async () => {
    const opened = await testBed.open()
    await opened.form.locator('#number').fill(success)
    const address = await opened.page.evaluate(() => document.querySelector('iframe')?.src ?? '')
    const go = (to: string): Promise<unknown> => {
      const loading = opened.page.evaluate(
        (href) =>
          new Promise((resolve) => {
            const frame = document.querySelector('iframe')
            frame?.addEventListener('load', resolve, { once: true })
            if (frame?.contentWindow) frame.contentWindow.location.href = href
          }),
        to,
      )
      return awaitWithin(loading, `the frame has loaded ${to}`)
    }
    await go('about:blank')
    const remaining = await opened.page.evaluate(() => {
      const inside = document.querySelector('iframe')?.contentWindow
      return [inside?.name, inside?.document.body.textContent, inside?.document.referrer]
    })
    assert.deepEqual(remaining.slice(0, 2), ['', ''])
    assert.doesNotMatch(String(remaining[2]), /form.v1|8600/)
    await go(address)
    assert.equal(await opened.form.locator('#number').inputValue(), '')
    await opened.page.close()
  })

  it('10. sends no hello to a look-alike that replaces the form', async () => {
    const opened: OpenForm = await testBed.open()
    for (const event of ['ready', 'load']) await opened.waitForEvent(event)
    const receiving = opened.page.evaluate(
      async (lookAlike) => {
        const frame = document.querySelector('iframe')
        await new Promise((resolve) => {
          frame?.addEventListener('load', resolve, { once: true })
          if (frame !== null) frame.src = lookAlike
        })
        const { formEvents } = globalThis as unknown as TestPage
        // Sent after any hello of the page, and so received after it.
        const inside = frame?.contentWindow as unknown as Window & { got: unknown[] }
        const last = new Promise((resolve) => inside.addEventListener('message', ({ data }) => data === 'last' && resolve(data)))
        inside.postMessage('last', '*')
        await last
        return [inside.got, (formEvents['ready'] ?? []).length]
      },
      testBed.servePage({ body: '<script>got=[];onmessage=(event)=>got.push(event.data)</script><div id="card"></div>' }),
    )
    assert.deepEqual(
      await awaitWithin(receiving, 'the look-alike has its last message'),
      [['last'], 1],
      'the page sent a hello to a frame of another origin',
    )
    await opened.page.close()
  })

  it('11. passes nothing to a page that the form opens: no name, opener, address or referrer', async () => {
    const opened = await testBed.open()
    await opened.form.locator('#number').fill(success)
    const [terms] = await Promise.all([opened.page.context().waitForEvent('page'), pressInFrame(opened.form.locator('footer a').first())])
    await terms.waitForLoadState()
    const properties = await terms.evaluate(() => [String(opener), document.referrer, window.name, location.search, location.hash])
    assert.deepEqual(properties, ['null', '', '', '?locale=en', ''])
    assert.equal(await terms.evaluate(() => document.querySelector('h1') !== null), true)
    for (const page of [terms, opened.page]) await page.close()
  })
})

/** Runs in the page before the SDK: replaces everything that the SDK uses, and records what passes through. */
function pollute(): void {
  const stolen: string[] = []
  Object.assign(globalThis, { stolen })
  const record = (value: unknown): void => {
    try {
      stolen.push(JSON.stringify(value))
    } catch {
      stolen.push(String(value))
    }
  }
  const Channel = MessageChannel
  globalThis.MessageChannel = class extends Channel {
    constructor() {
      super()
      for (const port of [this.port1, this.port2]) port.addEventListener('message', ({ data }) => record(data))
    }
  }
  const post = MessagePort.prototype.postMessage
  MessagePort.prototype.postMessage = function (this: MessagePort, ...args: unknown[]) {
    record(args[0])
    Reflect.apply(post, this, args)
  }
  for (const prototype of [Object.prototype, Array.prototype, Function.prototype]) {
    Object.defineProperty(prototype, 'locale', { value: 'ru', configurable: true, writable: true })
  }
  Object.defineProperty(Object.prototype, 'value', { get: () => undefined, set: record, configurable: true })
  addEventListener('message', ({ data }) => record(data))
}
