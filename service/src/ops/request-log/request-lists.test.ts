import assert from 'node:assert/strict'
import { test } from 'node:test'

import { findSegment, listSegmentHeads, type SegmentListQuery } from '../../store/request-segments.ts'
import type { Read } from '../../store/transaction.ts'

import { addressClassOf } from './address-class.ts'
import { makeRequestLists } from './request-lists.ts'

const of = { bucket: 1, merchantId: 'a'.repeat(24) }
const nothing = { needles: [], minErrors: 0, minResults: 0, minMicros: 0 }
const query: SegmentListQuery = { ...of, ...nothing, behind: { at: 1, id: '' }, latest: 1, from: 0, count: 1 }
const searching = listSegmentHeads({ ...query, needles: ['x'] }).statement
const reading = findSegment(of, { at: 0, id: '' }).statement

/** A log without an end, of which no segment has what a filter wants. */
function endlessLog(calls: number) {
  const counts: number[] = []
  const read = async <T>({ statement, values, map }: Read<T>): Promise<T> => {
    if (statement === reading) return assert.fail('a segment was read that cannot match')
    assert.equal(statement, searching)
    const [, , at, , , , count] = values.map(Number)
    counts.push(count ?? 0)
    const newest = Math.min(at ?? 0, 1_000_000)
    return map(Array.from({ length: count ?? 0 }, (_, n) => ({ last_at: newest - n - 1, last_id: 'b'.repeat(24), calls, hit: 0 })))
  }
  return { counts, lists: makeRequestLists({ read }) }
}

test('a filter that finds nothing searches a limited number of calls and of segments, and the next page continues there', async () => {
  for (const [calls, most] of [
    [100, 2000],
    [1, 12_000],
  ] as const) {
    const { counts, lists } = endlessLog(calls)
    const page = await lists.list(of, { after: null, count: 25, method: 'cards.remove' })
    assert.deepEqual(page.requests, [])
    const searched = counts.reduce((sum, count) => sum + count, 0)
    assert.ok(searched <= most && counts.every((count) => count <= 1024), counts.join(' '))
    assert.deepEqual(page.next, { at: 1_000_000 - searched, id: `${'b'.repeat(24)}0` })
  }
})

test('addresses have a class', () => {
  const classes = {
    loopback: ['127.0.0.1', '::1', '::ffff:127.9.9.9'],
    private: [
      '10.0.0.1',
      '192.168.1.1',
      '172.16.0.1',
      '172.31.255.255',
      '100.64.0.1',
      '169.254.1.1',
      '::ffff:10.1.1.1',
      'fe80::1',
      'fd00::1',
      'FC00::1',
    ],
    public: ['8.8.8.8', '172.32.0.1', '172.15.0.1', '100.128.0.1', '192.169.0.1', '2001:db8::1', 'ff02::1'],
  }
  for (const [name, addresses] of Object.entries(classes))
    for (const address of addresses) assert.equal(addressClassOf(address), name, address)
  assert.equal(addressClassOf(''), '')
})
