import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { CardForm } from '../page/card-form.ts'
import { CardFormMisuse } from '../page/card-form-options.ts'
import { fakeTessera } from './fake-tessera.ts'

const merchant = '65f0c0ffee0000000000cafe'
const jsdom: string = 'jsdom'
const formOrigin = 'https://form.example'

/** The part of jsdom used here. It has no types, so its name is a value, which the compiler does not resolve. */
interface Dom {
  readonly window: { readonly document: Document; close: () => void }
}

describe('the fake of the SDK in jsdom', () => {
  let dom: Dom
  before(async () => {
    const { JSDOM } = (await import(jsdom)) as { JSDOM: new (html: string, options: object) => Dom }
    dom = new JSDOM('<!doctype html><main id="card"></main><p id="other"></p>', { url: 'https://shop.example/' })
    // As in the environments of test runners, the document is a global.
    Object.assign(globalThis, { document: dom.window.document })
  })
  after(() => {
    Reflect.deleteProperty(globalThis, 'document')
    dom.window.close()
  })

  const framesIn = (place: string): number => document.querySelectorAll(`${place} iframe`).length

  it('puts one empty iframe in place of the form, moves it when it is mounted elsewhere, and removes it', () => {
    const form = new (fakeTessera().CardForm)({ merchant })
    form.mount('#card')
    form.mount('#card')
    assert.equal(framesIn('#card'), 1)
    assert.equal(document.querySelector('iframe')?.getAttribute('src'), null)
    form.mount(document.getElementById('other') ?? assert.fail())
    assert.deepEqual([framesIn('#card'), framesIn('#other')], [0, 1])
    form.unmount()
    assert.equal(framesIn('body'), 0)
  })

  it('emits a token to a listening page', async () => {
    const tessera = fakeTessera()
    const form = new tessera.CardForm({ merchant, save: 'ask' })
    form.on('token', ({ token }) => (document.querySelector('#other') ?? assert.fail()).append(token))
    form.mount('#card')
    tessera.cardholder.typesCard()
    void form.submit()
    tessera.cardholder.typesCode()
    void form.verify()
    await tessera.settled()
    assert.match(document.querySelector('#other')?.textContent ?? '', /^[0-9a-f]{24}_/)
    form.unmount()
  })

  it('throws the same errors with the same messages as the real form', () => {
    const tessera = fakeTessera()
    assert.equal(tessera.CardFormMisuse, CardFormMisuse)
    const misuses: [string, (Form: typeof CardForm) => unknown][] = [
      ['merchant_missing', (Form) => new Form({ merchant: 'mine', formOrigin })],
      ['form_origin_missing', (Form) => new Form({ merchant, formOrigin: 'form.example' })],
      ['place_missing', (Form) => new Form({ merchant, formOrigin }).mount('#nowhere')],
      ['place_missing', (Form) => new Form({ merchant, formOrigin }).mount(document.querySelector('#nowhere') as Element)],
    ]
    for (const [reason, misuse] of misuses) {
      const [real, fake] = [CardForm, tessera.CardForm].map((Form) => catchError(() => misuse(Form)))
      assert.ok(fake instanceof CardFormMisuse && real instanceof CardFormMisuse, reason)
      assert.deepEqual([fake.reason, fake.message, fake.docs], [reason, real.message, real.docs])
    }
  })

  function catchError(action: () => unknown): unknown {
    try {
      action()
    } catch (err) {
      return err
    }
    return assert.fail('nothing was thrown')
  }
})
