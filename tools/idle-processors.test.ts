import assert from 'node:assert/strict'
import { availableParallelism, cpus } from 'node:os'
import { test } from 'node:test'
import { readProcessorTimes, watchIdleProcessors, type ProcessorTimes } from './idle-processors.ts'

/** What is said of two processors that were busy for `busyMs` of a second, and of the machine without much memory. */
function watch(busyMs: number, freeBytes = 2 ** 34): boolean {
  const times: ProcessorTimes[] = [
    { count: 2, atMs: 5000, busyMs: 300 },
    { count: 2, atMs: 6000, busyMs: 300 + busyMs },
  ]
  return watchIdleProcessors(
    () => times.shift() ?? null,
    () => freeBytes,
  )()
}

test('processors are idle when they were so for half of one since the last look, and there is memory', () => {
  assert.deepEqual([watch(0), watch(1000), watch(1500), watch(1501), watch(2000)], [true, true, true, false, false])
  assert.equal(watch(0, 2 ** 30), false)
})

test('where it cannot be seen how busy the processors are, none is idle', () => {
  const isIdle = watchIdleProcessors(
    () => null,
    () => 2 ** 34,
  )
  assert.equal(isIdle(), false)
})

test('the processors of this machine are busy with what this process does, unless it may use only some of them', () => {
  const before = readProcessorTimes()
  const startedAt = process.cpuUsage()
  while (process.cpuUsage(startedAt).user < 200_000);
  const after = readProcessorTimes()
  if (before === null || after === null) {
    assert.ok(availableParallelism() < cpus().length)
    return
  }
  // It is counted in hundredths of a second.
  assert.ok(after.busyMs - before.busyMs >= 150, `${after.busyMs - before.busyMs} ms`)
  assert.ok(after.atMs > before.atMs && after.count === availableParallelism())
})
