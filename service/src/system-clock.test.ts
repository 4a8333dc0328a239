import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

import { makeSystemClock } from './system-clock.ts'

test('the monotonic clock is the machine’s: another process reads it in the same range and boot', () => {
  const before = makeSystemClock().moment()
  const script = `import('${new URL('./system-clock.ts', import.meta.url).href}').then((m) => console.log(JSON.stringify(m.makeSystemClock().moment())))`
  const other = JSON.parse(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })) as typeof before
  const after = makeSystemClock().moment()
  if (process.platform !== 'linux') return
  assert.equal(other.bootId, before.bootId)
  assert.ok(before.monotonicMs <= other.monotonicMs && other.monotonicMs <= after.monotonicMs)
})

test('the time since the boot has suspensions on Linux, unless the uptime is not that of the machine', () => {
  const awakeAndSuspended = 1e12
  const suspended = makeSystemClock(() => awakeAndSuspended).momentSinceBoot()
  const container = makeSystemClock(() => 0)
  const [before, since, later] = [container.moment(), container.momentSinceBoot(), container.moment()]
  assert.equal(since.bootId, before.bootId)
  assert.ok(before.monotonicMs <= since.monotonicMs && since.monotonicMs <= later.monotonicMs)
  if (process.platform !== 'linux') return
  assert.equal(suspended.monotonicMs, awakeAndSuspended * 1000)
  assert.notEqual(suspended.bootId, before.bootId)
})

test('the uptime is read once in a while, and at once when the wall clock has moved apart from the monotonic clock', (t) => {
  if (process.platform !== 'linux') return
  let reads = 0
  let suspendedSeconds = 1e6
  const clock = makeSystemClock(() => {
    reads++
    return suspendedSeconds + Number(process.hrtime.bigint()) / 1e9
  })
  clock.momentSinceBoot()
  const firstReads = reads
  for (let n = 0; n < 1000; n++) clock.momentSinceBoot()
  assert.ok(reads - firstReads < 100, `${String(reads - firstReads)} reads of the uptime in 1,000 of the clock`)
  // An hour in which the machine was suspended: both clocks go on by it.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
  const before = clock.momentSinceBoot()
  suspendedSeconds += 3600
  t.mock.timers.setTime(Date.now() + 3_600_000)
  const since = clock.momentSinceBoot()
  assert.ok(Math.abs(since.monotonicMs - before.monotonicMs - (since.wallMs - before.wallMs)) < 1000)
  assert.ok(since.wallMs - before.wallMs >= 3_600_000)
})

test('a sleep that is aborted ends with the reason it was aborted for', async () => {
  const reason = new Error('drained')
  const stop = new AbortController()
  const sleeping = makeSystemClock().sleep(60_000, stop.signal)
  stop.abort(reason)
  await assert.rejects(sleeping, (err) => err === reason)
})
