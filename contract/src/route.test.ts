import assert from 'node:assert/strict'
import { test } from 'node:test'

import { cardRoutes, makeFindRoute, type CardRoute } from './route.ts'

const findRoute = makeFindRoute(cardRoutes)
const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text))
const networkOf = (number: string) => findRoute(bytesOf(number))?.network ?? null

test('the cards of each network are found by their prefix', () => {
  const cases: readonly [string, string | null][] = [
    ['8600069195406311', 'uzcard'],
    ['5614681000000000', 'uzcard'],
    ['9860123456789012', 'humo'],
    ['2200000000000000', 'mir'],
    ['2204999999999999', 'mir'],
    ['2205000000000000', null],
    ['4000000000000002', 'visa'],
    ['5100000000000000', 'mastercard'],
    ['5500000000000004', 'mastercard'],
    ['5600000000000000', null],
    ['2220999999999999', null],
    ['2221000000000000', 'mastercard'],
    ['2720999999999999', 'mastercard'],
    ['2721000000000000', null],
    ['6200000000000000', 'unionpay'],
    ['0000000000000000', null],
    ['3782822463100050', null],
  ]
  for (const [number, network] of cases) assert.equal(networkOf(number), network, number)
})

test('the first test card is of type 22618', () => {
  assert.equal(findRoute(bytesOf('8600069195406311'))?.type, '22618')
})

test('the longest prefix wins, in any order of the table', () => {
  const short: CardRoute = { prefix: '4', network: 'visa', type: '1' }
  const long: CardRoute = { prefix: '444444', network: 'test', type: '2' }
  for (const table of [
    [short, long],
    [long, short],
  ]) {
    const find = makeFindRoute(table)
    assert.deepEqual([find(bytesOf('4444445987459073')), find(bytesOf('4444435987459073'))], [long, short])
  }
})

test('a number shorter than a prefix is not routed by it, and an empty table routes nothing', () => {
  assert.equal(findRoute(bytesOf('860')), null)
  assert.equal(findRoute(new Uint8Array()), null)
  assert.equal(makeFindRoute([])(bytesOf('8600069195406311')), null)
})

test('a later change of the given table changes no route', () => {
  const table: CardRoute[] = [{ prefix: '4', network: 'visa', type: '1' }]
  const find = makeFindRoute(table)
  table.length = 0
  assert.equal(find(bytesOf('4000000000000002'))?.network, 'visa')
})

test('no prefix is listed twice, each has one to six digits, and a network has one type', () => {
  assert.equal(new Set(cardRoutes.map((route) => route.prefix)).size, cardRoutes.length)
  for (const { prefix, type } of cardRoutes) assert.match(`${prefix} ${type}`, /^[0-9]{1,6} [0-9]{5}$/)
  const types = new Map(cardRoutes.map((route) => [route.network, route.type]))
  assert.ok(cardRoutes.every((route) => types.get(route.network) === route.type))
  assert.equal(new Set(types.values()).size, types.size)
})

test('the table is frozen', () => {
  assert.ok(Object.isFrozen(cardRoutes))
})
