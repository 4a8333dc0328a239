import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collect, scanMemory } from './scan-memory.ts'

const [first, second] = ['8600069195406311', '8600495473316478']
const pans = new Set([first, second])

function find(bytes: Buffer): string[] {
  const found = new Set<string>()
  collect(bytes, pans, found)
  return [...found].sort()
}

test('a card number is found with one and two bytes per digit, at every offset, and at both ends', () => {
  for (let before = 0; before < 40; before++) {
    for (const width of ['latin1', 'utf16le'] as const) {
      const text = Buffer.from(first, width)
      assert.deepEqual(find(Buffer.concat([Buffer.alloc(before, 1), text])), [first])
      assert.deepEqual(find(Buffer.concat([text, Buffer.alloc(before, 1)])), [first])
    }
  }
})

test('numbers are found in longer runs of digits and next to each other; a gap or a wrong digit hides them', () => {
  assert.deepEqual(find(Buffer.from(`12${first}34${second}5`)), [first, second])
  assert.deepEqual(find(Buffer.from(`${first.slice(0, 8)} ${first.slice(8)}${second.slice(0, 15)}`)), [])
})

test('a number that this process holds is found in its memory', () => {
  const held = Buffer.from(['8600', '0691', '9540', '6311'].join(''))
  assert.ok(scanMemory(process.pid, new Set([held.toString()])).size === 1)
})
