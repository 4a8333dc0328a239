import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { exits } from './exits.ts'

test('the page of the night shift has every way to end, and no other', () => {
  const page = readFileSync(new URL('../../../docs/operating/running.md', import.meta.url), 'utf8')
  const [, table = ''] = page.split('## Ends')
  const told = [...table.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code))
  assert.deepEqual(
    told,
    Object.values(exits).map(({ code }) => code),
  )
})
