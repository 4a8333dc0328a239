import assert from 'node:assert/strict'
import { test } from 'node:test'

import { cardNumberDetector } from '@tessera/contract/card-number-detector'
import { operations, publicOperations, type OperationName } from '@tessera/contract/operations'

import { readCalls } from '../../server/reader/read-calls.ts'
import { request } from '../../testing/pipeline.fixture.ts'
import { testCards } from '../../adapters/sandbox/cards.ts'

import { redactParams, redactResult } from './redact.ts'

const names = Object.keys(publicOperations) as (keyof typeof publicOperations)[]

/** Params as the pipeline hands them to the request log. */
function paramsOf(method: string, params: unknown): object {
  const read = readCalls(request({ id: 1, method, params }), cardNumberDetector)
  return read.kind === 'call' ? read.call.params : {}
}

const spelled = (number: string): unknown[] => [
  number,
  Number(number),
  number.replace(/(\d{4})(?=\d)/g, '$1 '),
  number.replace(/(\d{4})(?=\d)/g, '$1-'),
  `card ${number}`,
  `a${number}b`,
  number.padEnd(24, 'a'),
  `${number.padEnd(24, 'a')}_${'x'.repeat(43)}`,
  { [number]: number },
  [number],
]
// The seven of the sandbox, and numbers of other lengths and of no route, which the reader lets pass.
const numbers = [...testCards.map(({ number }) => number), '6011000990139424', '378282246310005', '6304000000000000117', '4222222222222']

function holdsDigits(text: string, number: string): boolean {
  return text.replaceAll(/[^\d]/g, '').includes(number) || text.includes(number.slice(0, 8)) || text.includes(number.slice(-7))
}

test('a card number in any member of any method, however spelled, is not stored in the request log', () => {
  let looked = 0
  for (const method of names) {
    const paths = [...Object.keys(publicOperations[method].requestLog.params), 'unknown', 'card.unknown', 'payer', 'account']
    for (const number of numbers) {
      for (const value of spelled(number).filter((each) => number.length > 14 || !/^4+[2]+a+/.test(String(each)))) {
        for (const path of paths) {
          const params = built(path, value)
          const text = JSON.stringify(redactParams(method, paramsOf(method, params)))
          assert.ok(!holdsDigits(text, number), `${method} ${path}: ${text}`)
          const named = built(path.replace(/[^.]+$/, number), value)
          assert.ok(!holdsDigits(JSON.stringify(redactParams(method, paramsOf(method, named))), number), `${method}, a name in ${path}`)
          assert.ok(!holdsDigits(JSON.stringify(redactResult(method, params)), number), `${method}, the result's ${path}`)
          looked++
        }
      }
    }
  }
  assert.ok(looked > 5000)
})

test('of every method’s example the request log stores what is needed to find it, and no token, code, expiry or session', () => {
  const logged = Object.fromEntries(
    names.map((method) => {
      const { params, result } = publicOperations[method].example
      const all = [...redactParams(method, params).list, ...redactResult(method, result).list]
      return [method, all.map(({ path, value, hidden }) => `${path}=${hidden ?? String(value)}`)]
    }),
  )
  assert.deepEqual(logged['cards.verify'], [
    'token=6745a1f0000a3f5c0d2e4b61',
    'code=secret',
    'card.number=8600***6311',
    'card.expire=secret',
    'card.token=6745a1f0000a3f5c0d2e4b61',
    'card.recurrent=true',
    'card.verify=true',
    'card.type=22618',
  ])
  assert.deepEqual(logged['cards.create']?.slice(0, 3), ['card.number=secret', 'card.expire=secret', 'save=true'])
  assert.deepEqual(logged['receipts.create']?.slice(0, 2), ['amount=500000', 'account.order_id=197'])
  assert.deepEqual(logged['receipts.send'], ['id=6745a1f0000a3f5c0d2e4b62', 'phone=99890*****66', 'success=true'])
  assert.ok(logged['form.sessions.create']?.includes('session=secret'))
  const text = JSON.stringify(logged)
  for (const secret of ['3kTMd0bJqg7v1nUeWcY9aRzXoP5sHfL2iKxQ8tVb4Gm', '666666', '0399', '9903', '998901234566'])
    assert.ok(!text.includes(secret), secret)
})

test('of free text the length is stored, of unknown members a plain name or none, and of a limited number of members', () => {
  const { list, more } = redactParams('receipts.create', {
    amount: 1.5,
    description: 'A gift for Zukhra',
    detail: { items: [1, 2] },
    hold: 'yes',
    account: { order_id: '197', phone: '998901234566', 'a name\u0000': 'a value with blanks' },
    'pass word': 'x',
    toString: 1,
    other: { deep: 'x' },
  })
  assert.deepEqual(
    list.map(({ path, value, hidden, size }) => [path, value, hidden, size]),
    [
      ['amount', null, 'number', 0],
      ['description', null, 'text', 17],
      ['detail', null, 'object', 1],
      ['hold', null, 'text', 3],
      ['account.order_id', '197', null, 0],
      ['account.phone', null, 'text', 12],
      ['account.*', null, 'text', 19],
      ['*', null, 'unknown', 0],
      ['toString', null, 'unknown', 0],
      ['other', null, 'unknown', 0],
    ],
  )
  assert.equal(more, 0)
  const many = redactParams('receipts.create', { account: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`f${String(n)}`, n])) })
  assert.deepEqual([many.list.length, many.more], [40, 160])
  assert.ok(JSON.stringify(many).length < 8000)
  assert.deepEqual(
    redactParams(null, { card: { number: '1' } }).list.map(({ path, hidden }) => [path, hidden]),
    [['card', 'unknown']],
  )
  assert.ok(Object.keys(operations).every((name) => name in publicOperations === 'requestLog' in operations[name as OperationName]))
  assert.deepEqual(redactResult('receipts.get_all' satisfies OperationName, [1, 2]).list, [
    { path: '*', value: null, hidden: 'array', size: 2 },
  ])
})

function built(path: string, value: unknown): object {
  const [name = '', ...rest] = path.replace('*', 'any').split('.')
  return { [name]: rest.length === 0 ? value : built(rest.join('.'), value) }
}
