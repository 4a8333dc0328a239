// A program: prints what each call allocates, as JSON. Not in a test's process, because the runner of tests allocates for each promise.
import { getHeapStatistics } from 'node:v8'

import { createTestApp } from '../testing/test-app.fixture.ts'

import { openMeasuredCaller, type CountCall } from './measured-calls.fixture.ts'

const ends: (() => Promise<void> | void)[] = []
const app = await createTestApp({ after: (end) => ends.push(end) })
const caller = await openMeasuredCaller(app)
const bytes: Record<string, number[]> = {}
const count: CountCall = async (name, call) => {
  const before = getHeapStatistics().used_heap_size
  await call()
  ;(bytes[name] ??= []).push(getHeapStatistics().used_heap_size - before)
}
// Until the functions of a call are compiled: before that, they allocate more.
for (let round = 0; round < 300; round++) await caller.callEach((_name, call) => call())
for (let round = 0; round < 31; round++) {
  await count('nothing', () => Promise.resolve())
  await caller.callEach(count)
}
const median = (values: readonly number[] = []): number => [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0
const nothing = median(bytes['nothing'])
delete bytes['nothing']
process.stdout.write(JSON.stringify(Object.fromEntries(Object.entries(bytes).map(([name, values]) => [name, median(values) - nothing]))))
for (const end of ends) await end()
