import assert from 'node:assert/strict'
import { test } from 'node:test'

import { HOUR_MS } from '../../store/request-segments.ts'

import { makeRequest, shownMember } from './request-row.fixture.ts'
import { decodeRows, encodeRow } from './request-row.ts'
import { toSegments, WaitingSegment } from './waiting-segment.ts'

test('a waiting segment has what its rows have, in whatever order they came, and in every script', () => {
  const rows = [3, 1, 2].map((number) =>
    makeRequest(number, {
      code: number === 2 ? -31_400 : 0,
      micros: number * 100,
      detail: {
        data: '',
        params: { list: [shownMember('description', `Оплата № ${String(number)} — “чай” 🍵`)], more: 0 },
        result: { list: [], more: 0 },
      },
    }),
  )
  const encoded = rows.map(encodeRow)
  const [first] = encoded
  assert.ok(first !== undefined)
  const segment = new WaitingSegment(first)
  for (const row of encoded) segment.add(row)
  const stored = segment.toSegment()
  assert.deepEqual(decodeRows(stored), rows)
  assert.deepEqual(
    [stored.calls, stored.errors, stored.gaps, stored.slowestMicros, stored.firstAt, stored.lastAt, stored.lastId],
    [3, 1, 0, 300, rows[1]?.at, rows[0]?.at, rows[0]?.requestId],
  )
  assert.deepEqual(segment.toSegment(), stored, 'a repetition after an unknown outcome writes the same')
})

test('a segment takes rows of its merchant, kind of caller and hour only', () => {
  const row = encodeRow(makeRequest(1))
  const segment = new WaitingSegment(row)
  assert.ok(segment.takes(row))
  for (const other of [{ merchantId: 'f'.repeat(24) }, { caller: 'browser' as const }, { at: row.at + HOUR_MS }])
    assert.equal(segment.takes({ ...row, ...other }), false, JSON.stringify(other))
})

test('of two calls of one millisecond the one with the higher id is the last', () => {
  const [one, other] = ['b', 'a'].map((end) => ({ ...encodeRow(makeRequest(1)), requestId: `6b0b7cac${end}` }))
  assert.ok(one !== undefined && other !== undefined)
  for (const rows of [
    [one, other],
    [other, one],
  ])
    assert.equal(toSegments(rows)[0]?.lastId, one.requestId)
})
