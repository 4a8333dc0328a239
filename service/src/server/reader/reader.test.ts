import assert from 'node:assert/strict'
import { test } from 'node:test'

import { cardNumberDetector } from '@tessera/contract/card-number-detector'
import fc from 'fast-check'

import { readJsonTestSuite, readNaughtyStrings } from '../../../../tools/corpora.ts'
import { readSearchSeed, readSearchSize } from '../../../../tools/search-size.ts'
import { testPan } from '../../testing/pans.fixture.ts'
import { readBody } from './read-calls.ts'
import { parseFault, readOne, readParamValue } from '../../testing/reading.fixture.ts'

/** `npm run soak -- reader` asks for a million texts of each kind. */
const seed = readSearchSeed(20_261_121)

test('every JSON text is read as JSON.parse reads it, however it is written', () => {
  const value = fc.jsonValue({ maxDepth: 6, noUnicodeString: false }).filter(isPlain)
  fc.assert(
    fc.property(value, fc.infiniteStream(fc.nat(5)), (wanted, choices) => {
      const text = spell(wanted, choices)
      assert.deepEqual(readParamValue(text).value, JSON.parse(text))
    }),
    { seed, numRuns: readSearchSize(2000) },
  )
})

test('the reader and JSON.parse agree on whether any bytes are JSON', () => {
  const piece = fc.constantFrom(
    ...Array.from('{}[]:,"\\0123456789.eE+-tfnul \n\u0001é€\u{1f600}'),
    'true',
    'null',
    '\\u00e9',
    '\\ud83d\\ude00',
    '"a"',
    '""',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
      const text = pieces.join('')
      assert.equal(parseFault(text) === null, isJson(text), text)
    }),
    { seed, numRuns: readSearchSize(10_000) },
  )
})

test('a text that is broken anywhere is a parse error, even after a complete call', () => {
  const call = `{"id":1,"method":"cards.create","params":{"card":{"number":"${testPan}","expire":"0399"}}}`
  for (let length = 1; length < call.length; length++) assert.equal(parseFault(call.slice(0, length)), 'invalidJson', call.slice(0, length))
  for (const tail of ['x', ' {}', ',', ']', '\u0000', '//', `"${testPan}"`]) assert.equal(parseFault(call + tail), 'invalidJson', tail)
  assert.equal(parseFault(`${call} \t\r\n`), null)
})

test('each kind of parse error has its name', () => {
  const cases: [body: string | Uint8Array, fault: string][] = [
    ['', 'emptyBody'],
    [' \n', 'emptyBody'],
    ['\ufeff{}', 'byteOrderMark'],
    [Buffer.from('{}', 'utf16le'), 'invalidJson'],
    [Buffer.from([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), 'invalidUtf8'],
    [Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), 'invalidUtf8'],
    [Buffer.from([0x22, 0xc0, 0xaf, 0x22]), 'invalidUtf8'],
    [Buffer.from([0x22, 0xc3]), 'invalidUtf8'],
    ['"\\ud800"', 'loneSurrogate'],
    ['{"\\udc00":1}', 'loneSurrogate'],
    ['"\\ud83d\\ud83d"', 'loneSurrogate'],
    ['"\\ud83dx"', 'loneSurrogate'],
    ['"\\ud83d\\u00zz"', 'invalidJson'],
    ['"\\x41"', 'invalidJson'],
    ['"a\nb"', 'invalidJson'],
    ["{'a':1}", 'invalidJson'],
    ['{"a":1,}', 'invalidJson'],
    ['[1,]', 'invalidJson'],
    ['NaN', 'invalidJson'],
    ['01', 'invalidJson'],
    ['1.', 'invalidJson'],
    ['.5', 'invalidJson'],
    ['+1', 'invalidJson'],
    ['1e', 'invalidJson'],
    ['-', 'invalidJson'],
    ['tru', 'invalidJson'],
    ['{"a" 1}', 'invalidJson'],
    ['{1:1}', 'invalidJson'],
    ['[1 2]', 'invalidJson'],
    ['[', 'invalidJson'],
    ['"', 'invalidJson'],
    ['"\\', 'invalidJson'],
    ['"\\u12', 'invalidJson'],
  ]
  for (const [body, fault] of cases) assert.equal(parseFault(body), fault, String(body))
})

test('64 KiB of open brackets do not overflow the stack, closed or not', () => {
  const half = 32 * 1024
  for (const open of ['[', '{"a":', '[{"a":']) assert.equal(parseFault(open.repeat(Math.floor((2 * half) / open.length))), 'invalidJson')
  assert.equal(parseFault('['.repeat(half) + ']'.repeat(half)), null)
  const deep = Math.floor((half * 2 - 60) / 6)
  assert.equal(readOne(`{"id":7,"params":${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}}`).requestFault?.entry, 'tooDeep')
})

test('the public JSON test suite is accepted and rejected as specified', () => {
  for (const { name, bytes } of readJsonTestSuite()) {
    const fault = parseFault(bytes.subarray(0, 64 * 1024))
    if (name.startsWith('y_')) assert.equal(fault, null, name)
    if (name.startsWith('n_')) assert.notEqual(fault, null, name)
    if (name.startsWith('y_') && !name.includes('duplicated'))
      assert.deepEqual(readParamValue(bytes).value, JSON.parse(bytes.toString()), name)
  }
})

test('the public list of naughty strings is read unchanged, as values and as names', () => {
  const own = ['', '\u0000', '\u2028', '‮', '\ufeff', '👩‍👩‍👧‍👦', '{"a":1}', '$ne', '../../etc/passwd', "' or 1=1 --"]
  for (const naughty of [...own, ...readNaughtyStrings()]) {
    for (const text of [JSON.stringify([naughty]), JSON.stringify({ [naughty]: naughty })])
      assert.deepEqual(readParamValue(text).value, JSON.parse(text), text)
  }
})

test('the buffer of a body is wiped when it has been read, whatever it held', () => {
  const card = `{"method":"m","params":{"card":{"number":"${testPan}"}}}`
  for (const text of [card, `[${card}]`, `${card}x`, `[${card},`, '\ufeff{}', 'x', `{"a":"\\u0041","b":"${testPan}"}`]) {
    const bytes = Buffer.from(text)
    try {
      readBody(bytes, { segment: null, detector: cardNumberDetector })
    } catch {
      // Parse errors wipe too.
    }
    assert.ok(bytes.length > 0 && bytes.every((byte) => byte === 0), text)
  }
})

/** Writes a value with random blanks and escapes. */
function spell(value: unknown, choices: Iterator<number>): string {
  const choose = (): number => (choices.next().value as number | undefined) ?? 0
  const blank = (): string => [' ', '\n', '\t\r', '', '', ''][choose()] ?? ''
  const write = (part: unknown): string => {
    if (typeof part === 'string') return spellString(part, choose)
    if (Array.isArray(part)) return `[${blank()}${part.map((one) => blank() + write(one) + blank()).join(',')}]`
    if (typeof part !== 'object' || part === null) return JSON.stringify(part)
    const members = Object.entries(part).map(
      ([name, member]) => `${blank()}${spellString(name, choose)}${blank()}:${blank()}${write(member)}`,
    )
    return `{${members.join(`${blank()},`)}${blank()}}`
  }
  return blank() + write(value) + blank()
}

function spellString(text: string, choose: () => number): string {
  const plain = JSON.stringify(text)
  if (choose() > 1) return plain
  const units = Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`)
  return choose() > 1 ? `"${units.join('')}"` : `"${units.join('').toUpperCase().replaceAll('\\U', '\\u')}"`
}

/** None of what the reader refuses for other reasons than syntax. */
function isPlain(value: unknown): boolean {
  const text = JSON.stringify(value)
  if (/(?<![0-9])[0-9]{15,16}(?![0-9])/.test(text)) return false
  return (
    !/__proto__|constructor|"(cvv2?|cvc2?|pin|track[12])"/i.test(text) &&
    !/[\ud800-\udfff]/.test(text.replaceAll(/[\ud800-\udbff][\udc00-\udfff]/g, '')) &&
    !/\\ud[89a-f]/i.test(text)
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
