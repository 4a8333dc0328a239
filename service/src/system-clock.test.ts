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

test('a sleep that is aborted ends with the reason it was aborted for', async () => {
  const reason = new Error('drained')
  const stop = new AbortController()
  const sleeping = makeSystemClock().sleep(60_000, stop.signal)
  stop.abort(reason)
  await assert.rejects(sleeping, (err) => err === reason)
})
