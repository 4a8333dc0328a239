import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'

import type { Language } from './envelope.ts'
import { errorEntry, errors, renderError, RpcError, type ErrorName, type Stage } from './errors.ts'

const names = Object.keys(errors) as ErrorName[]
const languages: readonly Language[] = ['en', 'ru', 'uz']
const inEnglish = { profile: 'subscribe', language: 'en', origin: 'cards.create' } as const

/** Every code that the wire has (JSON-RPC 2.0 §5.1 and our own). */
const wireCodes = new Set([
  -32300, -32700, -32600, -32601, -32602, -32500, -32504, -32400, -31050, -31300, -31301, -31400, -31101, -31102, -31103, -31110, -31601,
  -31602, -31610, -31611, -31612, -31623, -31630, -31640, -31700, -31800, -31002,
])

const stages: readonly Stage[] = [
  'transport',
  'parse',
  'request',
  'method',
  'caller',
  'limits',
  'params',
  'idempotency',
  'fineLimits',
  'state',
  'network',
  'any',
]

for (const name of names) {
  test(`${name}: a code of the wire, a reason of its own name, a text in each language, and what to do`, () => {
    const { code, specCode, reason, text, hint } = errorEntry(name)
    assert.ok(wireCodes.has(code) && (specCode === undefined || wireCodes.has(specCode)))
    assert.notEqual(specCode, code)
    assert.equal(
      reason,
      // What a network says of a card has the same word at the code and at the payment.
      name.replace(/^pay(?=[A-Z])/, '').replace(/[A-Z]/g, (letter, at) => `${at === 0 ? '' : '_'}${letter.toLowerCase()}`),
    )
    for (const language of languages) assert.match(text[language], /^\p{Lu}.{3,98}\.$/u)
    assert.equal(new Set(languages.map((language) => text[language])).size, 3)
    assert.match(text.ru, /\p{Script=Cyrillic}/u)
    assert.doesNotMatch(text.en + text.uz, /\p{Script=Cyrillic}/u)
    assert.match(hint, /^[\p{Lu}`0-9-]?.{10,250}\.$/u)
  })
}

test('no two errors have one code and one reason', () => {
  assert.equal(new Set(names.map((name) => `${errors[name].code} ${errors[name].reason}`)).size, names.length)
})

test('the table is in the order in which a request is checked', () => {
  const order = names.map((name) => stages.indexOf(errors[name].stage))
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a - b),
  )
})

test('an error code belongs to one stage, except for the listed codes', () => {
  for (const code of new Set(names.map((name) => errorEntry(name).code))) {
    const its = new Set(names.filter((name) => errorEntry(name).code === code).map((name) => errors[name].stage))
    // Shared: -32400 by errors of the card network and internal ones; -31110 by an SMS that was not sent and one requested too soon; -31630 by a card
    // that the service refuses and one that the network refuses; -32600 by a request and by its idempotency key; -31700 by limits of calls and of values;
    // -32504 by a wrong X-Auth and by a form session that does not allow the card; -32602 by an invalid value and by one that conflicts with
    // stored data: a consent to an unknown text, a setting, a phone that is in use; -32601 by an unknown method and by one that is available in the
    // test environment only.
    assert.ok(its.size === 1 || [-32400, -31110, -31630, -32600, -31700, -32504, -32601, -32602].includes(code), String(code))
  }
})

test('a wrong X-Auth of any kind has one code and one text', () => {
  // The dashboard's door knows no X-Auth, and tells a person what to do.
  const ofPeople: readonly ErrorName[] = [
    'signedOut',
    'passwordMustChange',
    'roleTooLow',
    'signInRefused',
    'signInLocked',
    'confirmationRequired',
    'secondFactorRequired',
  ]
  const denied = names.filter((name) => errorEntry(name).code === -32504 && !ofPeople.includes(name))
  assert.equal(new Set(denied.map((name) => JSON.stringify(errors[name].text))).size, 1)
  assert.equal(errors.accessDenied.text.en, 'Access denied.')
})

test('the spec profile reports every invalid card number as -31050, the subscribe profile as before', () => {
  for (const name of ['cardNumberFormat', 'cardNumberCheckDigit', 'cardNumberNoRoute'] as const) {
    const error = new RpcError(name)
    assert.equal(renderError(error, { ...inEnglish, profile: 'spec' }).code, -31050)
    assert.equal(renderError(error, inEnglish).code, name === 'cardNumberFormat' ? -32602 : -31300)
  }
})

test('a cardholder reads why: each reason of -31630, and each fault of a code, has a text of its own in each language', () => {
  for (const codes of [[-31630], [-31101, -31103]]) {
    const those = names.filter((name) => codes.includes(errorEntry(name).code))
    assert.ok(those.length >= 3)
    for (const language of languages)
      assert.equal(new Set(those.map((name) => errorEntry(name).text[language])).size, those.length, `${codes.join()} ${language}`)
  }
})

test('an error is rendered with what is known and nothing else', () => {
  assert.deepEqual(renderError(new RpcError('accessDenied'), { ...inEnglish, origin: null }), {
    code: -32504,
    message: 'Access denied.',
    reason: 'access_denied',
  })
  const error = new RpcError('resendTooSoon', { data: 'card', retryAfterMs: 1234.2, cause: new Error('for the log') })
  assert.deepEqual(renderError(error, { ...inEnglish, language: 'ru' }), {
    code: -31110,
    message: 'Новый код ещё нельзя запросить.',
    data: 'card',
    origin: 'cards.create',
    reason: 'resend_too_soon',
    retry_after: 1235,
  })
})

test('the message of every error is in the requested language', () => {
  for (const name of names) {
    for (const language of languages)
      assert.equal(renderError(new RpcError(name), { ...inEnglish, language }).message, errors[name].text[language])
  }
})

test('retry_after is a whole number of milliseconds, one at least', () => {
  for (const [given, expected] of [
    [0, 1],
    [-5, 1],
    [0.1, 1],
    [59_999.5, 60_000],
  ]) {
    assert.equal(renderError(new RpcError('addressLimit', { retryAfterMs: given ?? 0 }), inEnglish).retry_after, expected)
  }
})

test('the cause of an error reaches the log and never the caller', () => {
  const error = new RpcError('internalError', { data: 'id', cause: new Error('the inside') })
  assert.match(inspect(error), /the inside/)
  assert.doesNotMatch(JSON.stringify(renderError(error, inEnglish)), /inside/)
})

test('the message of an error inside is its name in the table', () => {
  const error = new RpcError('wrongCode')
  assert.deepEqual([error.name, error.message, error.entry, error.cause], ['RpcError', 'wrongCode', 'wrongCode', undefined])
})
