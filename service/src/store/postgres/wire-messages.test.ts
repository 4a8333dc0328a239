import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageWriter } from './wire-messages.ts'

function written(write: (messages: MessageWriter) => void): string {
  const messages = new MessageWriter()
  write(messages)
  return messages.take().toString('latin1')
}

test('each message has its type, its length without the type, and its fields', () => {
  const expected: [write: (messages: MessageWriter) => void, bytes: string][] = [
    [(messages) => messages.parse('s1', 'select 1'), 'P\0\0\0\x12s1\0select 1\0\0\0'],
    [(messages) => messages.close('s1'), 'C\0\0\0\x08Ss1\0'],
    [(messages) => messages.describe(), 'D\0\0\0\x06P\0'],
    [(messages) => messages.execute(), 'E\0\0\0\x09\0\0\0\0\0'],
    [(messages) => messages.sync(), 'S\0\0\0\x04'],
    [(messages) => messages.bind('s1', []), 'B\0\0\0\x10\0s1\0\0\0\0\0\0\x01\0\0'],
    [
      (messages) => messages.bind('s', ['ʻ', -7, null, Uint8Array.of(0, 255), '']),
      'B\0\0\0\x33\0s\0\0\x05\0\0\0\0\0\0\0\x01\0\0\0\x05\0\0\0\x02\xca\xbb\0\0\0\x02-7\xff\xff\xff\xff\0\0\0\x02\0\xff\0\0\0\0\0\x01\0\0',
    ],
  ]
  for (const [write, bytes] of expected) assert.equal(written(write), bytes)
})

test('an array is a literal in which quotes, backslashes and bytes are escaped', () => {
  const text = written((messages) => messages.bind('s', [[1, null], ['a"b\\c', ''], [Uint8Array.of(1, 171)]]))
  for (const literal of ['{1,NULL}', '{"a\\"b\\\\c",""}', '{"\\\\x01ab"}']) assert.ok(text.includes(literal), literal)
})

test('messages of any size are written whole, taken once, and those of a statement that cannot be written are dropped', () => {
  const messages = new MessageWriter()
  const long = 'ʻ'.repeat(300_000)
  messages.bind('s', [long, new Uint8Array(100_000)])
  messages.sync()
  const taken = messages.take()
  assert.equal(taken.length, 1 + 4 + 1 + 2 + 2 + 4 + 2 + (4 + 600_000) + (4 + 100_000) + 4 + 5)
  assert.equal(taken.readInt32BE(1), taken.length - 1 - 5)
  assert.ok(taken.includes(long))
  assert.equal(messages.take().length, 0)

  assert.throws(() => messages.bind('s', [undefined as never]))
  messages.clear()
  messages.sync()
  assert.equal(messages.take().toString('latin1'), 'S\0\0\0\x04')
})
