import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFewFiles } from './idle-connections.ts'

const limits = (hard: string): string =>
  `Limit                     Soft Limit           Hard Limit           Units\nMax open files            1024                 ${hard}                files\n`

test('a hard limit of open files that is too low is named, with what to raise it to', () => {
  assert.equal(describeFewFiles(limits('10500'), 10_000), null)
  assert.equal(describeFewFiles(limits('unlimited'), 10_000), null)
  assert.match(describeFewFiles(limits('10499'), 10_000) ?? '', /the hard limit is 10499\. .*ulimit -n 10500/)
})
