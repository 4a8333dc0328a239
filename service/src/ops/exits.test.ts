import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

import { exits } from './exits.ts'

test('the operating page lists every exit code, and no other', () => {
  const page = readFileSync(new URL('../../../docs/operating/running.md', import.meta.url), 'utf8')
  const [, table = ''] = page.split('## Exit codes')
  const documented = [...table.matchAll(/^\| (\d+) +\|/gm)].map(([, code]) => Number(code))
  assert.deepEqual(
    documented,
    Object.values(exits).map(({ code }) => code),
  )
})
