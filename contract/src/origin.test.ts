import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { readJsonTestSuite, readNaughtyStrings } from '../../tools/corpora.ts'

import { cspSourceOf, originPattern, readOrigin } from './origin.ts'

const good = [
  'https://shop.example',
  'https://shop.example:8443',
  'https://xn--80ahc0abogjs.uz',
  'https://a-b.c0.example.',
  'http://localhost:3000',
  'http://127.0.0.1:1',
  'http://[::1]:8080',
  'https://10.0.0.1',
]

// What a content security policy reads, what a URL reads, and what a header reads.
const special = Array.from('*;,\'"`()<>{}[]|\\^!$&+=~_%@#?/: \t\r\n\v\f\0\u007f\u0085\u00a0\u2028\u2029\u3002\uff0a\uff1b\u200b\ud83d')
const words = [
  '*',
  '*.',
  "'self'",
  "'none'",
  '; script-src *',
  ' https://evil.example',
  ',https://evil.example',
  'https:',
  'user@',
  ':443',
  ':0',
  '/path',
  '?q',
  '#f',
]

/** Directives and sources as a browser splits a policy (W3C CSP 3 §2.2.1). */
function parsePolicy(policy: string): string[][] {
  return policy.split(/[;,]/).map((directive) => directive.trim().split(/[ \t\n\f\r]+/))
}

/** An origin with anything at any place of it. */
const spoiled = fc
  .tuple(
    fc.constantFrom(...good),
    fc.nat(30),
    fc.oneof(fc.constantFrom(...special, ...words), fc.string({ unit: 'binary', maxLength: 4 })),
    fc.nat(3),
  )
  .map(([origin, at, what, cut]) => origin.slice(0, at) + what + origin.slice(at + cut))

function assertHarmless(text: string): void {
  const origin = readOrigin(text)
  assert.equal(new RegExp(originPattern).test(text) || origin === null, true)
  if (origin === null) return
  const policy = `default-src 'none'; frame-ancestors ${cspSourceOf(origin)}`
  assert.deepEqual(parsePolicy(policy), [
    ['default-src', "'none'"],
    ['frame-ancestors', text],
  ])
  assert.ok(/^https?:\/\/[a-z0-9.[\]:-]+$/.test(text), text)
  const { username, password, pathname, search, hash } = new URL(text)
  assert.deepEqual([username, password, pathname, search, hash], ['', '', '/', '', ''])
}

test('an origin is read exactly as a browser sends it', () => {
  for (const origin of good) assert.equal(readOrigin(origin), origin)
  const others = [
    'HTTPS://shop.example',
    'https://Shop.example',
    'https://shop.example/',
    'https://shop.example:443',
    'http://a:80',
    'https://a:65536',
    'https://0x7f.1',
    'https://a..b',
    'https://дом.uz',
    'https://',
    'https:///a',
    'ftp://a',
    'null',
    '',
    'shop.example',
    'https:shop.example',
    'data:,x',
    'blob:https://a',
    'file:///etc/passwd',
    'https://[::1',
    'https://[0:0:0:0:0:0:0:1]',
    `https://${'a.'.repeat(130)}example`,
  ]
  for (const text of others) assert.equal(readOrigin(text), null, text)
  for (const text of others) assert.throws(() => cspSourceOf(text), /not an origin/)
  for (const value of [null, undefined, 5, {}, ['https://shop.example'], new String('https://shop.example')])
    assert.equal(readOrigin(value), null)
})

test('no wildcard and no character that a content security policy reads gets through, wherever it stands', () => {
  for (const origin of good) {
    for (let at = 0; at <= origin.length; at++) {
      for (const what of special.concat(words)) {
        for (const cut of [0, 1]) assertHarmless(origin.slice(0, at) + what + origin.slice(at + cut))
      }
    }
  }
  fc.assert(fc.property(spoiled, assertHarmless), { numRuns: 5000 })
  fc.assert(fc.property(fc.webUrl(), assertHarmless))
  for (const text of readNaughtyStrings()) for (const each of [text, `https://${text}`, `https://shop.example${text}`]) assertHarmless(each)
  for (const { bytes } of readJsonTestSuite()) assertHarmless(`https://${bytes.toString('latin1').slice(0, 300)}`)
})

test('the same search finds wildcards and new directives where the URL standard alone decides', () => {
  const readByUrl = (text: string): boolean => URL.canParse(text) && new URL(text).origin === text
  const found = special.filter((sign) => readByUrl(`https://a${sign}b.example`))
  for (const sign of "*;,'") assert.ok(found.includes(sign), sign)
  assert.ok(readByUrl('https://*') && readByUrl('https://a;sandbox'))
})
