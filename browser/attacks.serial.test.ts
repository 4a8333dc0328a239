// time limit: 120 s
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { enterCard, enterCode, startStage, type Mounted, type Opened, type Stage } from './form.fixture.ts'

const success = '8600495473316478'
const typed = /8600|4954|7331|6478/

/** What a page says before it mounts the form: a script of an attacker who wrote himself into the merchant's page. */
function headOf(deed: () => void): string {
  return `<script>(${deed.toString()})()</script>`
}

describe('a page that attacks the card form that it holds', () => {
  let stage: Stage
  before(async () => {
    stage = await startStage()
  })
  after(() => stage.stop())

  it('1. reads no document, no window property, no storage and no history of the frame', async () => {
    const opened = await stage.open()
    await opened.form.locator('#number').fill(success)
    const got = await opened.page.evaluate(() => {
      const frame = document.querySelector('iframe')
      const inside = frame?.contentWindow as unknown as Record<string, unknown>
      const tries: Record<string, () => unknown> = {
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
      return Object.entries(tries).map(([name, deed]) => {
        try {
          return [name, String(deed())]
        } catch (err) {
          return [name, (err as Error).name]
        }
      })
    })
    assert.deepEqual(
      got.filter(([, outcome]) => outcome !== 'SecurityError' && outcome !== 'null'),
      [],
    )
    assert.ok(got.length === 11)
    await opened.page.close()
  })

  it('2. hears no key, no focus within, no composition and no paste of the frame, only that it has the focus', async () => {
    const opened = await stage.open()
    for (const event of ['ready', 'load']) await opened.heard(event)
    await opened.page.evaluate(() => {
      const heard: string[] = []
      Object.assign(globalThis, { heard })
      const names = Object.keys(window).filter((name) => name.startsWith('on'))
      for (const name of names) {
        const event = name.slice(2)
        for (const target of [window, document]) target.addEventListener(event, ({ type }) => heard.push(type), true)
      }
      for (const event of ['selectionchange', 'compositionstart', 'focusin', 'focusout']) {
        document.addEventListener(event, ({ type }) => heard.push(type), true)
      }
    })
    await opened.form.locator('#number').focus()
    const heardAfter = async (): Promise<string[]> =>
      opened.page.evaluate(() =>
        (globalThis as unknown as { heard: string[] }).heard.splice(0).filter((name) => !/pointer|mouse|^device/.test(name)),
      )
    // Frame and page are in two processes: the focus goes from one to the other in its own time.
    await opened.page.waitForFunction(
      () => document.activeElement?.tagName === 'IFRAME' && (globalThis as unknown as { heard: string[] }).heard.includes('blur'),
    )
    await heardAfter()
    await opened.form.locator('#number').pressSequentially(success)
    await opened.form.locator('#expiry').pressSequentially('0399')
    assert.deepEqual(await heardAfter(), [])
    await opened.page.locator('h1').click()
    assert.ok((await heardAfter()).includes('click'), 'the listeners hear nothing at all')
    await opened.page.close()
  })

  it('3. cannot tell from the messages how many keys were pressed, nor when', async () => {
    const opened = await stage.open()
    await opened.heard('ready')
    const messages = async (deed: () => Promise<void>): Promise<number> => {
      const before = (await opened.said('change')).length
      await deed()
      return (await opened.said('change')).length - before
    }
    const { form } = opened
    await form.locator('#number').press('8')
    await opened.heard('change')
    assert.equal(await messages(() => form.locator('#number').pressSequentially('600495473316478')), 0)
    assert.equal(await messages(() => form.locator('#expiry').pressSequentially('039')), 0)
    await form.locator('#expiry').press('9')
    const told = (await opened.heardMany('change', 2)) as { complete: boolean }[]
    assert.deepEqual(
      told.map(({ complete }) => complete),
      [false, true],
    )
    await opened.page.close()
  })

  it('4. steals no port by changing MessageChannel, JSON and the prototypes before the SDK is loaded', async () => {
    const opened = await stage.open({ head: headOf(pollute) })
    await enterCard(opened, success)
    await enterCode(opened)
    await opened.heard('token')
    const stolen = await opened.page.evaluate(() => (globalThis as unknown as { stolen: string[] }).stolen)
    assert.ok(
      stolen.some((text) => text.includes('"type":"step"')),
      'the thief heard nothing at all, so it proves nothing',
    )
    const [mask, ...more] = stolen.join().match(/8600\*\*\*6478/g) ?? []
    assert.ok(mask !== undefined && more.length === 0, 'the masked number is told once, with the token')
    assert.doesNotMatch(stolen.join().replace(mask, ''), typed)
    assert.doesNotMatch(stolen.join(), /666666/)
    await opened.page.close()
  })

  it('5. gets no second line to a form that has one', async () => {
    const opened = await stage.open()
    await opened.heard('ready')
    await opened.page.evaluate(() => {
      const frame = document.querySelector('iframe')
      const id = new URL(frame?.src ?? '').hash.slice(1)
      const heard: unknown[] = []
      Object.assign(globalThis, { heard })
      for (const hello of [{ tessera: 1, id }, { tessera: 1, id: '0'.repeat(32) }, { tessera: 2, id }, null]) {
        const { port1, port2 } = new MessageChannel()
        port1.onmessage = ({ data: said }) => heard.push(said)
        frame?.contentWindow?.postMessage(hello, '*', [port2])
        port1.postMessage({ type: 'submit' })
      }
      ;(globalThis as unknown as Mounted).form.submit()
    })
    assert.equal(((await opened.heard('error')) as { reason: string }).reason, 'number_missing')
    assert.equal((await opened.said('error')).length, 1, 'a stranger pressed the button')
    assert.deepEqual(await opened.page.evaluate(() => (globalThis as unknown as { heard: unknown[] }).heard), [])
    await opened.page.close()
  })

  it('12. gets no first line with a guessed id, nor from a window that is not the parent, though the right one is taken afterwards', async () => {
    const opened = await stage.open({ body: '<div id="card"></div><div id="raw"></div>' })
    const answered = await opened.page.evaluate(
      async ({ form, merchant }) => {
        const id = 'ab'.repeat(16)
        const [frame, aside] = [document.createElement('iframe'), document.createElement('iframe')]
        const loaded = Promise.all([frame, aside].map((each) => new Promise((resolve) => each.addEventListener('load', resolve))))
        frame.src = `${form}/form/v1?merchant=${merchant}&origin=${encodeURIComponent(location.origin)}#${id}`
        aside.srcdoc = '<title>aside</title>'
        document.getElementById('raw')?.append(frame, aside)
        await loaded
        const heard: string[] = []
        const say = (who: string, sender: typeof globalThis, hello: unknown): Promise<unknown> => {
          const { port1, port2 } = new MessageChannel()
          Object.assign(sender, { frame, hello, port2 })
          // Said by that window, so that it is the source of the message.
          sender.eval('frame.contentWindow.postMessage(hello, "*", [port2])')
          return new Promise((resolve) => (port1.onmessage = () => resolve(heard.push(who))))
        }
        const answers = [say('no parent', aside.contentWindow as Window & typeof globalThis, { tessera: 1, id })]
        for (const guess of ['ab', 'AB'.repeat(16), '0'.repeat(32), [id], '']) {
          answers.push(say(`guess ${String(guess)}`, window, { tessera: 1, id: guess }))
        }
        await Promise.race([...answers, say('parent', window, { tessera: 1, id })])
        return heard
      },
      { form: stage.formOrigin, merchant: stage.merchant },
    )
    assert.deepEqual(answered, ['parent'])
    await opened.page.close()
  })

  it('6. changes no element, address or script by what it says over the port', async () => {
    const opened = await stage.open()
    await opened.heard('ready')
    const frame = await opened.frame()
    const marks = (): Promise<string> =>
      frame.evaluate(
        () => `${document.scripts.length} ${document.images.length} ${document.querySelectorAll('*').length} ${document.links.length}`,
      )
    const before = await marks()
    const evil = '<img src=x onerror=alert(1)><script>alert(1)</script>'
    await opened.page.evaluate((text) => {
      const polluting = JSON.parse('{"__proto__":{"hacked":"yes"},"constructor":{"prototype":{"hacked":"yes"}}}') as object
      const { form } = globalThis as unknown as Mounted
      form.update({ labels: { number: text, submit: text, terms: text, goesTo: text, poweredBy: text, ...polluting } })
      form.update({ locale: text, layout: `"><b>`, direction: 'javascript:alert(1)', session: 'x'.repeat(10_000), theme: polluting })
      form.update(polluting)
    }, evil)
    await opened.form.locator('label', { hasText: evil }).waitFor()
    assert.equal(await marks(), before)
    assert.equal(await frame.evaluate(() => (({}) as { hacked?: string }).hacked), undefined)
    assert.match((await opened.form.locator('footer').textContent()) ?? '', /Your card goes to .*Powered by .*Terms.*Privacy/)
    await opened.page.close()
  })

  it('7. brings no address, selector or see-through colour in by the theme', async () => {
    const opened = await stage.open()
    await opened.heard('ready')
    const asked: string[] = []
    opened.page.on('request', (request) => asked.push(request.url()))
    const frame = await opened.frame()
    await opened.page.evaluate((shop) => {
      const { form } = globalThis as unknown as Mounted
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
      form.update({ theme: { fontSize: '0.01px', gap: '-900px', radius: '999999px', text: '#ABCDEF' } })
    }, stage.shopOrigin)
    await frame.waitForFunction(() => document.documentElement.style.getPropertyValue('--text') === '#ABCDEF')
    const set = await frame.evaluate(() => document.documentElement.getAttribute('style'))
    assert.doesNotMatch(set ?? '', /url|rgba|transparent|var|image|;}|-900|999999/)
    assert.deepEqual(asked, [])
    const size = await opened.form.locator('footer').evaluate((footer) => Number.parseFloat(getComputedStyle(footer).fontSize))
    assert.equal(size, 13)
    await opened.page.close()
  })

  it('8. gets no card by a frame whose sandbox takes its scripts or its origin away, and is told that the form does not answer', async () => {
    for (const sandbox of ['', 'allow-scripts', 'allow-scripts allow-forms']) {
      const opened = await stage.open({ prepare: (page) => page.clock.install() })
      for (const event of ['ready', 'load']) await opened.heard(event)
      await opened.page.evaluate(
        (value) =>
          new Promise((resolve) => {
            const frame = document.querySelector('iframe')
            frame?.addEventListener('load', resolve)
            frame?.setAttribute('sandbox', value)
            if (frame !== null) frame.src = frame.src.replace('#', '&again=1#')
          }),
        sandbox,
      )
      await (await opened.frame()).waitForURL(/again=1/)
      const { form } = opened
      if (sandbox === '') assert.equal(await form.locator('#number').count(), 0)
      else {
        await form.locator('#number').fill(success)
        await form.locator('#expiry').fill('0399')
        await form.locator('#expiry').press('Enter')
        assert.ok(await form.locator('form.card button').isDisabled(), 'a form that nobody has greeted sends a card')
      }
      await opened.page.clock.fastForward(10_000)
      assert.equal(((await opened.heard('error')) as { reason: string }).reason, 'frame_no_answer')
      assert.deepEqual([await opened.said('token'), opened.calls('cards.create')], [[], 0], `sandbox="${sandbox}"`)
      assert.doesNotMatch(JSON.stringify(await opened.page.evaluate(() => (globalThis as unknown as Mounted).said)), typed)
      await opened.page.close()
    }
  })

  it('9. finds an empty form after it navigated the frame away and back', async () => {
    const opened = await stage.open()
    await opened.form.locator('#number').fill(success)
    const address = await opened.page.evaluate(() => document.querySelector('iframe')?.src ?? '')
    const go = (to: string): Promise<unknown> =>
      opened.page.evaluate(
        (href) =>
          new Promise((resolve) => {
            const frame = document.querySelector('iframe')
            frame?.addEventListener('load', resolve, { once: true })
            if (frame?.contentWindow) frame.contentWindow.location.href = href
          }),
        to,
      )
    await go('about:blank')
    const left = await opened.page.evaluate(() => {
      const inside = document.querySelector('iframe')?.contentWindow
      return [inside?.name, inside?.document.body.textContent, inside?.document.referrer]
    })
    assert.deepEqual(left.slice(0, 2), ['', ''])
    assert.doesNotMatch(String(left[2]), /form.v1|8600/)
    await go(address)
    assert.equal(await opened.form.locator('#number').inputValue(), '')
    await opened.page.close()
  })

  it('10. with a look-alike in the frame gets no hello, and a token that it makes up is none of the service', async () => {
    const opened: Opened = await stage.open()
    for (const event of ['ready', 'load']) await opened.heard(event)
    const heard = await opened.page.evaluate(
      async (lookAlike) => {
        const frame = document.querySelector('iframe')
        await new Promise((resolve) => {
          frame?.addEventListener('load', resolve, { once: true })
          if (frame !== null) frame.src = lookAlike
        })
        const { said } = globalThis as unknown as Mounted
        // Said after any hello of the page, and so heard after it.
        const inside = frame?.contentWindow as unknown as Window & { got: unknown[] }
        const last = new Promise((resolve) => inside.addEventListener('message', ({ data: word }) => word === 'last' && resolve(word)))
        inside.postMessage('last', '*')
        await last
        return [inside.got, (said['ready'] ?? []).length]
      },
      stage.place({ body: '<script>got=[];onmessage=(event)=>got.push(event.data)</script><div id="card"></div>' }),
    )
    assert.deepEqual(heard, [['last'], 1], 'the page said hello to a frame of another origin')
    await opened.page.close()
  })

  it('11. leaves nothing behind in names, openers, addresses and referrers of a page that the form opens', async () => {
    const opened = await stage.open()
    await opened.form.locator('#number').fill(success)
    const [terms] = await Promise.all([opened.page.context().waitForEvent('page'), opened.form.locator('footer a').first().click()])
    await terms.waitForLoadState()
    const facts = await terms.evaluate(() => [String(opener), document.referrer, window.name, location.search, location.hash])
    assert.deepEqual(facts, ['null', '', '', '?locale=en', ''])
    assert.equal(await terms.evaluate(() => document.querySelector('h1') !== null), true)
    for (const page of [terms, opened.page]) await page.close()
  })
})

/** Runs in the page before the SDK: everything that the SDK uses is replaced, and what comes through is kept. */
function pollute(): void {
  const stolen: string[] = []
  Object.assign(globalThis, { stolen })
  const keep = (value: unknown): void => {
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
      for (const port of [this.port1, this.port2]) port.addEventListener('message', ({ data: said }) => keep(said))
    }
  }
  const post = MessagePort.prototype.postMessage
  MessagePort.prototype.postMessage = function (this: MessagePort, ...args: unknown[]) {
    keep(args[0])
    Reflect.apply(post, this, args)
  }
  for (const prototype of [Object.prototype, Array.prototype, Function.prototype]) {
    Object.defineProperty(prototype, 'locale', { value: 'ru', configurable: true, writable: true })
  }
  Object.defineProperty(Object.prototype, 'value', { get: () => undefined, set: keep, configurable: true })
  addEventListener('message', ({ data: said }) => keep(said))
}
