import { getHeapSpaceStatistics } from 'node:v8'

import { allocateYoungOnly } from './young-objects.ts'

// Prints how many bytes the old generation grows by while objects are made of which none lives on, after a time in which nearly all lived on.

interface Call {
  readonly id: number
  readonly next: Call | null
}

function makeCall(id: number, next: Call | null): Call {
  return { id, next }
}

function oldBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'old_space')?.space_used_size ?? 0
}

if (process.argv[2] === 'young') allocateYoungOnly()
for (let queue = 0; queue < 20; queue++) {
  let last: Call | null = null
  for (let id = 0; id < 200_000; id++) last = makeCall(id, last)
}
const before = oldBytes()
let sum = 0
for (let id = 0; id < 100_000; id++) sum += makeCall(id, null).id
process.stdout.write(`${JSON.stringify({ grownBytes: oldBytes() - before, sum })}\n`)
