import assert from 'node:assert/strict'
import { test } from 'node:test'

import { refuseCardNumbers, parseCommandLine } from './arguments.ts'

const own = new Map([['name', true]])

test('a command that contains a card number is refused without repeating it', () => {
  for (const args of [
    ['merchants', 'create', '--name=8600069195406311'],
    ['merchants', 'create', '--name', 'Shop 8600 0691 9540 6311'],
    ['receipts', 'show', '8600-0691-9540-6311'],
  ]) {
    const typed = parseCommandLine(args, own, [])
    assert.throws(
      () => refuseCardNumbers(typed),
      (err: Error) => /card number/.test(err.message) && !/8600|6311/.test(err.message),
      args.join(' '),
    )
  }
})

test('ids are accepted, even if they contain a card number by chance', () => {
  refuseCardNumbers(parseCommandLine(['merchants', 'show', 'a8600069195406311abcdef0', '--name=Shop'], own, []))
})
