import assert from 'node:assert/strict'
import { Console } from 'node:console'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { serialize } from 'node:v8'

import fc from 'fast-check'

import {
  expiryEndsAt,
  isExpiryFault,
  maskDigits,
  maskPhone,
  Pan,
  readExpiry,
  readPan,
  shortMask,
  toYearMonth,
  type Expiry,
} from './card.ts'
import { hasValidCheckDigit } from './check-digit.ts'

const digits = '8600069195406311'
const masked = '860006******6311'
const publicCards = [
  digits,
  '8600495473316478',
  '8600060921090842',
  '3333336415804657',
  '4444445987459073',
  '8600143417770323',
  '8600134301849596',
]

const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text, 'latin1'))
const samplePan = () => Pan.over(bytesOf(digits))
/** For the printings that types would not allow. */
const asText = (pan: Pan) => pan as unknown as string

/** Card numbers of every length, with a right check digit. */
const anyCardNumber = fc
  .array(fc.integer({ min: 0, max: 9 }), { minLength: 11, maxLength: 18 })
  .map((leading) => leading.join(''))
  .map((leading) => [...Array(10).keys()].map((check) => `${leading}${check}`).find((number) => hasLuhn(number)) ?? '')

test('a PAN prints itself masked in every way of printing', () => {
  const pan = samplePan()
  assert.equal(String(pan), masked)
  assert.equal(`${asText(pan)}!`, `${masked}!`)
  assert.equal('about ' + asText(pan), `about ${masked}`)
  assert.equal([pan, pan].join(), `${masked},${masked}`)
  assert.equal(JSON.stringify({ pan, deep: [{ pan }] }), `{"pan":"${masked}","deep":[{"pan":"${masked}"}]}`)
  assert.equal(new Error(`about ${asText(pan)}`).message, `about ${masked}`)
  assert.equal(inspect(pan), `Pan(${masked})`)
  assert.ok(Number.isNaN(Number(pan)))
})

test('no way of printing a PAN, however deeply nested, shows more than the mask', () => {
  const pan = samplePan()
  const held = { pan, list: [pan], map: new Map([['pan', pan]]), set: new Set([pan]), error: new Error('x', { cause: pan }) }
  const printings = [
    inspect(held, { depth: null, showHidden: true }),
    inspect(held, { depth: null, showHidden: true, customInspect: false, getters: true }),
    inspect(pan, { customInspect: false, showHidden: true, getters: true, showProxy: true }),
    inspect(new Proxy(pan, {}), { showProxy: true, showHidden: true }),
    JSON.stringify(held),
    JSON.stringify(Object.entries(held)),
    serialize(pan).toString('latin1'),
    String(Object.getOwnPropertyNames(pan)),
    onConsole((console) => console.log(pan, '%s %d %j %o %O', held, pan)),
    onConsole((console) => console.log('%s %d %i %f %j %o %O', pan, pan, pan, pan, pan, pan, pan)),
    onConsole((console) => console.dir(held, { depth: null, showHidden: true })),
    onConsole((console) => console.table([pan, held])),
    onConsole((console) => console.error(new Error('x', { cause: held }))),
    differenceOf(pan, Pan.over(bytesOf('8600495473316478'))),
  ]
  for (const printing of printings) assertShowsNothing(printing)
})

test('a PAN has no members to copy, walk or spread', () => {
  const pan = samplePan()
  assert.deepEqual([Object.keys(pan), Object.entries(pan), Object.assign({}, pan), Reflect.ownKeys(pan)], [[], [], {}, []])
  for (const member in pan) assert.fail(`it has a member ${member}`)
})

test('a PAN posted to a thread arrives as nothing', () => {
  const pan = samplePan()
  for (const copy of [structuredClone(pan), structuredClone({ pan }).pan]) assert.deepEqual(Reflect.ownKeys(copy), [])
})

test('the digits are available through reveal only, and are gone after wiping while the mask stays', () => {
  const pan = samplePan()
  const revealed = pan.reveal()
  assert.equal(Buffer.from(revealed).toString('latin1'), digits)
  pan.wipe()
  assert.deepEqual(revealed, new Uint8Array(16))
  assert.throws(() => pan.reveal(), /wiped/)
  assert.deepEqual([pan.masked, pan.length, String(pan)], [masked, 16, masked])
})

test('a PAN consists of 12 to 19 ASCII digits only, and the error does not repeat them', () => {
  for (const text of [
    '',
    '12345678901',
    '12345678901234567890',
    '86000691954063a1',
    '8600 0691 9540 6311',
    '860006919540631\0',
    '８６００',
  ]) {
    assert.throws(
      () => Pan.over(bytesOf(text)),
      (thrown: Error) => text === '' || !thrown.message.includes(text),
    )
  }
})

test('a card number is read from its digits, with blanks around it ignored', () => {
  for (const number of publicCards) {
    for (const text of [number, ` ${number}`, `${number} `, `\t\r\n ${number} \n`]) assert.equal(revealedOf(readPan(bytesOf(text))), number)
  }
})

test('reading copies: the bytes that were given may be wiped, and wiping the PAN leaves them', () => {
  const given = bytesOf(digits)
  const pan = readPan(given)
  given.fill(0)
  assert.equal(revealedOf(pan), digits)
})

test('every card number with a right check digit is read, whatever its length', () => {
  fc.assert(fc.property(anyCardNumber, (number) => assert.equal(revealedOf(readPan(bytesOf(number))), number)))
})

test('a card number with one digit mistyped is refused by its check digit', () => {
  fc.assert(
    fc.property(anyCardNumber, fc.nat(), fc.integer({ min: 1, max: 9 }), (number, at, by) => {
      const position = at % number.length
      const mistyped = [...bytesOf(number)].map((byte, i) => (i === position ? 48 + ((byte - 48 + by) % 10) : byte))
      assert.equal(readPan(Uint8Array.from(mistyped)), 'cardNumberCheckDigit')
    }),
  )
})

test('two swapped neighbouring digits are refused, except 09 and 90', () => {
  fc.assert(
    fc.property(anyCardNumber, fc.nat(), (number, at) => {
      const position = at % (number.length - 1)
      const [a = '', b = ''] = [number[position], number[position + 1]]
      const exchanged = number.slice(0, position) + b + a + number.slice(position + 2)
      const isSeen = a !== b && a + b !== '09' && a + b !== '90'
      assert.equal(readPan(bytesOf(exchanged)) === 'cardNumberCheckDigit', isSeen)
    }),
  )
})

test('text that is not a card number is distinguished from a mistyped one', () => {
  const shapeless = [
    '',
    ' ',
    '8600',
    '86000691954063',
    '8600 0691 9540 6311',
    '8600-0691-9540-6311',
    '8600069195406311x',
    'card',
    '0x8600069195406311',
  ]
  for (const text of shapeless) {
    const expected = text === '86000691954063' ? 'cardNumberCheckDigit' : 'cardNumberFormat'
    assert.equal(readPan(bytesOf(text)), expected, text)
  }
  assert.equal(readPan(bytesOf('8600069195406312')), 'cardNumberCheckDigit')
  assert.equal(readPan(bytesOf('86000691954063110000')), 'cardNumberFormat')
  assert.equal(readPan(Uint8Array.from(Buffer.from('٨٦٠٠٠٦٩١٩٥٤٠٦٣١١'))), 'cardNumberFormat')
})

test('the check digit is that of ISO/IEC 7812-1 annex B, also over a part of the bytes', () => {
  for (const number of publicCards) assert.ok(hasValidCheckDigit(bytesOf(number)))
  for (const number of ['79927398713', '4000000000000002', '5500000000000004']) assert.ok(hasValidCheckDigit(bytesOf(number)))
  for (const check of '012456789') assert.ok(!hasValidCheckDigit(bytesOf(`7992739871${check}`)))
  assert.ok(hasValidCheckDigit(bytesOf(`12${digits}9`), 2, 18))
})

test('a card is good through the last day of its month, in UTC+5', () => {
  const endOfMarch = Date.UTC(2099, 2, 31, 18, 59, 59, 999)
  assert.equal(readExpiry('0399', endOfMarch), '0399')
  assert.equal(readExpiry('0399', endOfMarch + 1), 'expirePast')
  assert.equal(new Date(expiryEndsAt('0399' as Expiry)).toISOString(), '2099-03-31T19:00:00.000Z')
  assert.equal(new Date(expiryEndsAt('1226' as Expiry)).toISOString(), '2026-12-31T19:00:00.000Z')
  assert.equal(new Date(expiryEndsAt('0228' as Expiry)).toISOString(), '2028-02-29T19:00:00.000Z')
})

test('an expiry is written YYMM for ISO 8583 and in receipts', () => {
  assert.equal(toYearMonth('0399'), '9903')
})

test('an expiry is MMYY, and each fault has its own code', () => {
  const now = Date.UTC(2026, 10, 21)
  const cases: readonly [string, string][] = [
    ['1126', '1126'],
    ['1299', '1299'],
    ['1026', 'expirePast'],
    ['1200', 'expirePast'],
    ['0027', 'expireMonth'],
    ['1327', 'expireMonth'],
    ['9903', 'expireMonth'],
    ['', 'expireFormat'],
    ['327', 'expireFormat'],
    ['03/27', 'expireFormat'],
    ['03277', 'expireFormat'],
    [' 0327', 'expireFormat'],
    ['0327\n', 'expireFormat'],
    ['٠٣٢٧', 'expireFormat'],
    ['-327', 'expireFormat'],
    ['1e27', 'expireFormat'],
  ]
  for (const [text, expected] of cases) assert.equal(readExpiry(text, now), expected, text)
})

test('every expiry reads as itself or as one of three faults', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 6 }), (text) => {
      const read = readExpiry(text, 0)
      assert.ok(isExpiryFault(read) ? !/^(0[1-9]|1[0-2])[0-9]{2}$/.test(text) : read === text)
    }),
  )
})

test('the long mask shows six and four digits and as many asterisks for every length', () => {
  assert.equal(maskDigits(bytesOf(digits)), masked)
  fc.assert(
    fc.property(anyCardNumber, (number) => {
      assert.equal(maskDigits(bytesOf(number)), `${number.slice(0, 6)}******${number.slice(-4)}`)
    }),
  )
})

test('the short mask is that of the specification', () => {
  assert.equal(shortMask(masked), '8600***6311')
})

test('masks fail closed: text that cannot be parsed is not shown', () => {
  for (const text of ['', '1', '12345', '12345678901', '12345678901234567890', '86000691954063a1'])
    assert.equal(maskDigits(bytesOf(text)), '***')
  for (const text of ['', digits, '8600***6311', `${masked}1`, '860006*****6311', `x${masked}`, `${masked}\n`])
    assert.equal(shortMask(text), '***')
  for (const text of ['', '998', '12345678', '+998901234566', '9989012345661234', '99890123456x', '998901234566\n'])
    assert.equal(maskPhone(text), '*****')
})

test('a masked phone shows five and two digits', () => {
  assert.equal(maskPhone('998901234566'), '99890*****66')
})

function revealedOf(read: ReturnType<typeof readPan>): string {
  return typeof read === 'string' ? read : Buffer.from(read.reveal()).toString('latin1')
}

/** The textbook's way, written apart from ours. */
function hasLuhn(number: string): boolean {
  const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
  const sum = Array.from(number)
    .reverse()
    .reduce((total, digit, i) => total + (i % 2 === 1 ? (doubled[Number(digit)] ?? 0) : Number(digit)), 0)
  return sum % 10 === 0
}

function onConsole(print: (console: Console) => void): string {
  const out = new PassThrough()
  print(new Console(out, out))
  return String(out.read() ?? '')
}

function differenceOf(one: Pan, other: Pan): string {
  try {
    assert.deepEqual([one.masked, one], [other.masked, other])
  } catch (thrown) {
    return inspect(thrown)
  }
  return assert.fail('two PANs of different masks are no equals')
}

/** Neither the number nor its hidden middle in any of the ways it might be written. */
function assertShowsNothing(printing: string): void {
  const bytes = bytesOf(digits)
  const middle = digits.slice(6, 12)
  const hidden = [
    middle,
    Buffer.from(middle).toString('hex'),
    Buffer.from(digits).toString('base64').slice(8, 14),
    [...bytes.subarray(6, 12)].join(', '),
  ]
  for (const text of hidden) assert.ok(!printing.includes(text), printing)
}
