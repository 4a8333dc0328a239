import assert from 'node:assert/strict'
import { test } from 'node:test'

import { cardRoutes } from '@tessera/contract/route'

import { makePanScan } from './pan-scan.ts'
import { grouped, makePan, testPan } from './pans.fixture.ts'

const scan = makePanScan(cardRoutes)
const orderNumber = `${testPan.slice(0, 15)}2`

test('a card number in a text is found, whole or in groups of four', () => {
  const found = [
    testPan,
    `card ${testPan}.`,
    `a${testPan}b`,
    grouped(testPan, ' '),
    grouped(testPan, '-'),
    `${grouped(testPan, ' ')} 12/99`,
    `2026 1111 ${grouped(testPan, '-')}`,
    `"${testPan}"`,
    `ключ ${testPan}`,
    makePan('9860', 4),
    makePan('2720', 5),
  ]
  for (const text of found) assert.equal(inText(text), true, text)
})

test('a long number that is no card number is not refused by chance', () => {
  const passed = [
    orderNumber,
    `1${testPan}`,
    `${testPan}1`,
    testPan.slice(1),
    grouped(testPan, '  '),
    grouped(testPan, '.'),
    grouped(testPan, ' ').replace(' ', ''),
    `${testPan.slice(0, 8)} ${testPan.slice(8)}`,
    `${grouped(testPan, ' ')}1`,
    `1${grouped(testPan, ' ')}`,
    makePan('1234', 3),
    makePan('7777', 3),
    '',
    '0000000000000000',
  ]
  for (const text of passed) assert.equal(inText(text), false, text)
})

test('a prefix of fewer than four digits is too wide a net and catches nothing', () => {
  assert.equal(inText(makePan('4111', 11)), false)
  assert.equal(inText(makePan('6212', 11)), false)
})

test('routes that a network adds are known by their own prefixes, also longer ones', () => {
  const own = makePanScan([{ prefix: '333333', network: 'test', type: '1' }])
  const bytes = Buffer.from('3333336415804657')
  assert.equal(own.inText(bytes, 0, 16), true)
  assert.equal(scan.inText(bytes, 0, 16), false)
})

test('a number is a card number by its digits or by its value', () => {
  for (const number of [
    testPan,
    `-${testPan}`,
    `${testPan}.0`,
    `${testPan}e0`,
    `${testPan}E5`,
    `${testPan.slice(0, 15)}.${testPan.slice(15)}e1`,
    `${testPan[0] ?? ''}.${testPan.slice(1)}e15`,
    `${testPan}e-99`,
    `0.000${testPan}e19`,
    `${testPan}000e-3`,
    `${testPan}5e-1`,
  ])
    assert.equal(inNumber(number), true, number)
})

test('a number of another size is none, however it is written', () => {
  for (const number of [
    '0',
    '1e400',
    '1e-400',
    '8.6e14',
    '123456',
    '100000.0',
    orderNumber,
    `${orderNumber}e0`,
    `1e${'9'.repeat(400)}`,
    '0e16',
  ])
    assert.equal(inNumber(number), false, number)
})

function inText(text: string): boolean {
  const bytes = Buffer.from(`#1${text}1#`)
  const start = 2
  return scan.inText(bytes, start, bytes.length - 2)
}

function inNumber(text: string): boolean {
  const bytes = Buffer.from(`[${text}]`)
  return scan.inNumber(bytes, 1, bytes.length - 1)
}
