import assert from 'node:assert/strict'
import { test } from 'node:test'

import { refuseCardNumbers, takeApart } from './arguments.ts'

const own = new Map([['name', true]])

test('a command that holds a card number is refused without repeating it', () => {
  for (const args of [
    ['merchants', 'create', '--name=8600069195406311'],
    ['merchants', 'create', '--name', 'Shop 8600 0691 9540 6311'],
    ['receipts', 'show', '8600-0691-9540-6311'],
  ]) {
    const typed = takeApart(args, own, [])
    assert.throws(
      () => refuseCardNumbers(typed),
      (err: Error) => /card number/.test(err.message) && !/8600|6311/.test(err.message),
      args.join(' '),
    )
  }
})

test('ids are taken, also where they hold a card number by chance', () => {
  refuseCardNumbers(takeApart(['merchants', 'show', 'a8600069195406311abcdef0', '--name=Shop'], own, []))
})
