import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { TestContext } from 'node:test'

import { makeLog } from './log.ts'
import { openLogSink } from './sink.ts'

/** A sink into a file of its own, with what was handed to the kernel so far. */
function opened(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const folder = fs.mkdtempSync(join(tmpdir(), 'tessera-sink-'))
  const fd = fs.openSync(join(folder, 'log'), 'a')
  const written: string[] = []
  t.mock.method(fs, 'write', (_fd: number, text: string, done: (err: null, bytes: number) => void) => {
    written.push(text)
    done(null, Buffer.byteLength(text))
  })
  t.after(() => {
    fs.closeSync(fd)
    fs.rmSync(folder, { recursive: true })
  })
  return { sink: openLogSink(fd), written }
}

test('lines of twenty milliseconds are written together, in their order', (t) => {
  const { sink, written } = opened(t)
  for (const line of ['a\n', 'b\n', 'c\n']) sink.write(line)
  t.mock.timers.tick(19)
  assert.deepEqual(written, [])
  t.mock.timers.tick(1)
  sink.write('d\n')
  t.mock.timers.tick(20)
  assert.deepEqual(written, ['a\nb\nc\n', 'd\n'])
})

test('many lines do not wait for the time', (t) => {
  const { sink, written } = opened(t)
  for (let i = 0; i < 17; i++) sink.write(`${'x'.repeat(1023)}\n`)
  assert.deepEqual(
    written.map((text) => text.length),
    [16 * 1024],
  )
})

test('an error is written at once, after the lines that waited', (t) => {
  const { sink, written } = opened(t)
  const log = makeLog('info', sink, () => 0)
  log.info('request')
  assert.equal(written.length, 0)
  log.error('request_failed')
  assert.equal(written.length, 1)
  assert.match(written[0] ?? '', /"event":"request"\}\n.*"event":"request_failed"\}\n$/)
})

test('a process that flushes before it exits loses no line', () => {
  const script = `
    const { openLogSink } = await import(${JSON.stringify(new URL('./sink.ts', import.meta.url).href)})
    const sink = openLogSink(2)
    sink.write('a\\n')
    sink.write('b\\n')
    sink.flush()
    process.exit(0)`
  assert.equal(spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stderr, 'a\nb\n')
})
