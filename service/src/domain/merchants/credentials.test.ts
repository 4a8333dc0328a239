import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readXAuth } from './credentials.ts'

test('X-Auth is an id, or an id and everything after the first colon; surrounding whitespace is ignored', () => {
  const id = '65f0c0ffee0000000000cafe'
  const cases: [header: string | null, id: string | null, password: string | null][] = [
    [id, id, null],
    [` ${id}\t`, id, null],
    [`${id}:a:b&@?#%$`, id, 'a:b&@?#%$'],
    [`  ${id}:secret `, id, 'secret'],
    [`${id}:`, id, ''],
    [':secret', '', 'secret'],
    ['', null, null],
    ['   ', null, null],
    [null, null, null],
    [`${id}:${'x'.repeat(300)}`, null, null],
  ]
  for (const [header, name, password] of cases) {
    assert.deepEqual(readXAuth(header), name === null ? null : { id: name, password }, String(header))
  }
})
