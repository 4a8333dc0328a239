import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { CardForm, type CardFormEvents } from '../page/card-form.ts'
import { fakeTessera, type FakeTessera, type LikeCardForm } from './fake-tessera.ts'

const merchant = '65f0c0ffee0000000000cafe'
const eventNames = ['ready', 'change', 'step', 'token', 'error', 'wait', 'seen'] as const satisfies readonly (keyof CardFormEvents)[]

function open(tessera: FakeTessera, options: object = {}): { form: LikeCardForm; said: [string, unknown][] } {
  const form = new tessera.CardForm({ merchant, locale: 'en', save: 'ask', formOrigin: 'http://127.0.0.1', ...options })
  const said: [string, unknown][] = []
  for (const name of eventNames) form.on(name, (value) => said.push([name, value]))
  return { form: form.mount('#card'), said }
}

const wordsOf = (said: [string, unknown][]): string[] =>
  said
    .filter(([name]) => name !== 'change')
    .map(([name, value]) => {
      return name === 'step' ? `step ${String(value)}` : name === 'error' ? `error ${(value as { reason: string }).reason}` : name
    })

describe('the fake of the SDK', () => {
  it('has every method of the real form and takes its place', () => {
    const real: (options: ConstructorParameters<typeof CardForm>[0]) => LikeCardForm = (options) => new CardForm(options)
    assert.equal(real.length, 1)
    const methods = Object.getOwnPropertyNames(CardForm.prototype)
    const { form } = open(fakeTessera())
    for (const name of methods) assert.equal(typeof (form as unknown as Record<string, unknown>)[name], 'function', name)
  })

  it('plays a cardholder to the token, and says what was agreed', async () => {
    const tessera = fakeTessera()
    const { said } = open(tessera)
    const { cardholder } = tessera
    cardholder.typesCard()
    cardholder.agrees()
    cardholder.presses()
    cardholder.typesCode()
    cardholder.presses()
    assert.equal(said.length, 0, 'nothing is told at once')
    await tessera.settled()
    assert.deepEqual(wordsOf(said), ['ready', 'wait', 'step code', 'step done', 'token'])
    const { token, card } = (said.at(-1)?.[1] ?? assert.fail()) as CardFormEvents['token']
    assert.match(token, /^[0-9a-f]{24}_[0-9A-Za-z]{43}$/)
    assert.deepEqual([card.number, card.recurrent, card.verify], ['8600***6311', true, true])
  })

  it('refuses as it was told to, in the words, code and field of the real one, and goes on after it', async () => {
    const tessera = fakeTessera({ submit: ['card_blocked', 'system_error'], verify: ['wrong_code'] })
    const { said } = open(tessera)
    tessera.cardholder.typesCard()
    for (let press = 0; press < 3; press++) tessera.cardholder.presses()
    tessera.cardholder.typesCode()
    tessera.cardholder.presses()
    tessera.cardholder.presses()
    await tessera.settled()
    assert.deepEqual(wordsOf(said), [
      ...['ready', 'error card_blocked', 'error system_error', 'wait', 'step code', 'error wrong_code', 'error code_missing'],
    ])
    const [blocked, system] = said.filter(([name]) => name === 'error').map(([, error]) => error as CardFormEvents['error'])
    assert.deepEqual([blocked?.code, blocked?.field, blocked?.retryable], [-31301, 'number', false])
    assert.match(blocked?.message ?? '', /^Your bank has blocked this card/)
    assert.deepEqual([system?.code, system?.field, system?.retryable], [-32400, null, true])
  })

  it('tells changes as the real one does: with each step, each fault and what was emptied, and nothing twice', async () => {
    const tessera = fakeTessera({ submit: ['card_blocked'], verify: ['wrong_code'] })
    const { form, said } = open(tessera, { button: false })
    tessera.cardholder.typesCard()
    tessera.cardholder.typesCard()
    for (let press = 0; press < 2; press++) form.submit()
    tessera.cardholder.typesCode()
    form.verify()
    tessera.cardholder.typesCode()
    form.verify()
    form.back()
    await tessera.settled()
    const typed = { type: 'change', complete: true, empty: false, errors: {} }
    const emptied = { type: 'change', complete: false, empty: true, errors: {} }
    assert.deepEqual(
      said
        .filter(([name]) => !['ready', 'wait'].includes(name))
        .map(([name, value]) => (name === 'step' || name === 'change' ? value : name)),
      [
        ...[typed, 'error', { ...typed, errors: { number: 'card_blocked' } }, 'code', emptied, typed],
        ...['error', { ...emptied, errors: { code: 'wrong_code' } }, typed, 'done', emptied, 'token', 'card', emptied],
      ],
    )
  })

  it('asks for what was not typed, tells nobody after it was taken out, and can be mounted again', async () => {
    const tessera = fakeTessera()
    const { form, said } = open(tessera)
    form.submit()
    await tessera.settled()
    form.submit()
    form.unmount()
    form.submit()
    await tessera.settled()
    assert.deepEqual(wordsOf(said), ['ready', 'error number_missing'])
    assert.throws(() => tessera.cardholder.presses(), /no form is mounted/)
    form.mount('#card')
    tessera.cardholder.typesCard()
    form.submit()
    await tessera.settled()
    assert.deepEqual(wordsOf(said).slice(-2), ['wait', 'step code'])
  })

  it('tells a page that its policy blocks the form, once as it is mounted', async () => {
    const tessera = fakeTessera({ mount: ['blocked_by_csp'] })
    const { said } = open(tessera)
    await tessera.settled()
    assert.deepEqual(wordsOf(said), ['error blocked_by_csp'])
  })

  it('has no box to tick and no button to press where the page asked for none', () => {
    const tessera = fakeTessera()
    open(tessera, { save: 'off', button: false })
    assert.throws(() => tessera.cardholder.agrees(), /save: 'ask'/)
    assert.throws(() => tessera.cardholder.presses(), /submit\(\)/)
  })
})
