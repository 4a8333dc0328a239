import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { CardForm } from '../page/card-form.ts'
import type { CardFormEvents } from '../page/card-form-types.ts'
import { fakeTessera, type FakeTessera } from './fake-tessera.ts'

const merchant = '65f0c0ffee0000000000cafe'
const eventNames = ['ready', 'change', 'step', 'token', 'error', 'wait', 'seen'] as const satisfies readonly (keyof CardFormEvents)[]

function open(tessera: FakeTessera, options: object = {}): { form: CardForm; events: [string, unknown][] } {
  const form = new tessera.CardForm({ merchant, locale: 'en', save: 'ask', formOrigin: 'http://127.0.0.1', ...options })
  const events: [string, unknown][] = []
  for (const name of eventNames) form.on(name, (value) => events.push([name, value]))
  return { form: form.mount('#card'), events }
}

const namesOf = (events: [string, unknown][]): string[] =>
  events
    .filter(([name]) => name !== 'change')
    .map(([name, value]) => {
      return name === 'step' ? `step ${String(value)}` : name === 'error' ? `error ${(value as { reason: string }).reason}` : name
    })

describe('the fake of the SDK', () => {
  it('has every method of the real form and is assignable to its type', () => {
    const real: (options: ConstructorParameters<typeof CardForm>[0]) => CardForm = (options) => new CardForm(options)
    assert.equal(real.length, 1)
    const methods = Object.getOwnPropertyNames(CardForm.prototype).filter((name) => name !== 'assign')
    const { form } = open(fakeTessera())
    for (const name of methods) assert.equal(typeof (form as unknown as Record<string, unknown>)[name], 'function', name)
  })

  it('plays a cardholder up to the token, and reports the consent', async () => {
    const tessera = fakeTessera()
    const { events } = open(tessera)
    const { cardholder } = tessera
    cardholder.typesCard()
    cardholder.agrees()
    cardholder.presses()
    cardholder.typesCode()
    cardholder.presses()
    assert.equal(events.length, 0, 'an event was delivered synchronously')
    await tessera.settled()
    assert.deepEqual(namesOf(events), ['ready', 'wait', 'step code', 'step done', 'token'])
    const { token, card } = (events.at(-1)?.[1] ?? assert.fail()) as CardFormEvents['token']
    assert.match(token, /^[0-9a-f]{24}_[0-9A-Za-z]{43}$/)
    assert.deepEqual([card.number, card.recurrent, card.verify], ['8600***6311', true, true])
  })

  it('fails as scripted, with message, code and field of the real form, and continues afterwards', async () => {
    const tessera = fakeTessera({ submit: ['card_blocked', 'system_error'], verify: ['wrong_code'] })
    const { events } = open(tessera)
    tessera.cardholder.typesCard()
    for (let press = 0; press < 3; press++) tessera.cardholder.presses()
    tessera.cardholder.typesCode()
    tessera.cardholder.presses()
    tessera.cardholder.presses()
    await tessera.settled()
    assert.deepEqual(namesOf(events), [
      'ready',
      'error card_blocked',
      'error system_error',
      'wait',
      'step code',
      'error wrong_code',
      'error code_missing',
    ])
    const [blocked, system] = events.filter(([name]) => name === 'error').map(([, error]) => error as CardFormEvents['error'])
    assert.deepEqual([blocked?.code, blocked?.field, blocked?.retryable], [-31301, 'number', false])
    assert.match(blocked?.message ?? '', /^Your bank has blocked this card/)
    assert.deepEqual([system?.code, system?.field, system?.retryable], [-32400, null, true])
  })

  it('emits change events like the real form: with each step, error and cleared field, and none twice', async () => {
    const tessera = fakeTessera({ submit: ['card_blocked'], verify: ['wrong_code'] })
    const { form, events } = open(tessera, { button: false })
    tessera.cardholder.typesCard()
    tessera.cardholder.typesCard()
    for (let press = 0; press < 2; press++) void form.submit()
    tessera.cardholder.typesCode()
    void form.verify()
    tessera.cardholder.typesCode()
    void form.verify()
    form.back()
    await tessera.settled()
    const typed = { type: 'change', brand: null, complete: true, empty: false, error: null, errors: {} }
    const emptied = { ...typed, complete: false, empty: true }
    const typedCard = { ...typed, brand: 'uzcard' }
    assert.deepEqual(
      events
        .filter(([name]) => !['ready', 'wait'].includes(name))
        .map(([name, value]) => (name === 'step' || name === 'change' ? value : name)),
      [
        typedCard,
        'error',
        { ...typedCard, error: 'card_blocked', errors: { number: 'card_blocked' } },
        'code',
        emptied,
        typed,
        'error',
        { ...emptied, error: 'wrong_code', errors: { code: 'wrong_code' } },
        typed,
        'done',
        emptied,
        'token',
        'card',
        emptied,
      ],
    )
  })

  it('reports missing input, emits nothing after unmount, and can be mounted again', async () => {
    const tessera = fakeTessera()
    const { form, events } = open(tessera)
    void form.submit()
    await tessera.settled()
    void form.submit()
    form.unmount()
    void form.submit()
    await tessera.settled()
    assert.deepEqual(namesOf(events), ['ready', 'error number_missing'])
    assert.throws(() => tessera.cardholder.presses(), /no form is mounted/)
    form.mount('#card')
    tessera.cardholder.typesCard()
    void form.submit()
    await tessera.settled()
    assert.deepEqual(namesOf(events).slice(-2), ['wait', 'step code'])
  })

  it('returns the outcome of submit and verify like the real form: joined, ignored at another step, cancelled by its removal', async () => {
    const tessera = fakeTessera({ submit: ['card_blocked'] })
    const { form } = open(tessera, { button: false })
    assert.deepEqual(await form.verify(), { status: 'ignored' })
    const missing = await form.submit()
    assert.ok(missing.status === 'error' && missing.error.reason === 'number_missing')
    tessera.cardholder.typesCard()
    const blocked = await form.submit()
    assert.ok(blocked.status === 'error' && blocked.error.field === 'number')
    assert.deepEqual(await form.submit(), { status: 'code' })
    tessera.cardholder.typesCode()
    const done = await form.verify()
    assert.ok(done.status === 'done' && done.card.verify)
    form.back()
    const cancelled = form.submit()
    form.unmount()
    assert.deepEqual(await cancelled, { status: 'cancelled' })
    assert.deepEqual(await form.submit(), { status: 'ignored' })
  })

  it('returns `picked` for a saved card that was chosen, and fails as scripted before', async () => {
    const tessera = fakeTessera({ submit: ['session_done'] })
    const { form, events } = open(tessera, { button: false })
    const picks: string[] = []
    form.on('pick', (id) => picks.push(id))
    const id = '6745a1f0000a3f5c0d2e4b61'
    tessera.cardholder.choosesSavedCard(id)
    const refused = await form.submit()
    assert.ok(refused.status === 'error' && refused.error.reason === 'session_done' && refused.error.code === -31700)
    assert.deepEqual(await form.submit(), { status: 'picked', id })
    await tessera.settled()
    assert.deepEqual(picks, [id])
    assert.deepEqual(namesOf(events), ['ready', 'error session_done', 'step done'])
    const changes = events.flatMap(([name, value]) => (name === 'change' ? [value as CardFormEvents['change']] : []))
    assert.deepEqual(
      changes.map(({ brand, complete, empty }) => [brand, complete, empty]),
      [
        [null, true, false],
        [null, false, true],
      ],
    )
    form.back()
    tessera.cardholder.choosesSavedCard(id)
    tessera.cardholder.typesCard()
    assert.deepEqual(await form.submit(), { status: 'code' }, 'a card was typed instead')
    assert.throws(() => tessera.cardholder.choosesSavedCard(id), /at the step "card" only/)
  })

  it('merges the members of theme and labels in an update, and resets what is undefined', () => {
    const tessera = fakeTessera()
    const { form } = open(tessera, { theme: { accent: '#111', dark: { accent: '#eee' } }, labels: { submit: 'Pay' } })
    form.update({ theme: { scheme: 'dark', dark: { text: '#fff' } }, labels: undefined })
    const { theme, labels } = tessera.forms[0]?.options ?? assert.fail()
    assert.deepEqual(theme, { accent: '#111', scheme: 'dark', dark: { accent: '#eee', text: '#fff' } })
    assert.equal(labels, undefined)
  })

  it('reports once at mount that a policy blocks the form', async () => {
    const tessera = fakeTessera({ mount: ['blocked_by_csp'] })
    const { events } = open(tessera)
    await tessera.settled()
    assert.deepEqual(namesOf(events), ['error blocked_by_csp'])
  })

  it('has no consent box and no button when the options disable them', () => {
    const tessera = fakeTessera()
    open(tessera, { save: 'off', button: false })
    assert.throws(() => tessera.cardholder.agrees(), /save: 'ask'/)
    assert.throws(() => tessera.cardholder.presses(), /submit\(\)/)
  })
})
