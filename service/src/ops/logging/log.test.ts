import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { test } from 'node:test'

import { makeLog } from './log.ts'
import type { LogLevel } from './log.ts'
import { scrubLine } from './scrub.ts'

const pan = '8600069195406311'

function logged(level: LogLevel = 'debug', now = () => 0) {
  const lines: string[] = []
  const log = makeLog(level, { write: (line) => lines.push(line) }, now)
  return { log, lines, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) }
}

test('a line has an ISO time, a level, its event and the fields it may have', () => {
  const { log, parsed } = logged()
  log.info('request', {
    requestId: '0123456789abcdef01234567',
    method: 'cards.create',
    profile: 'spec',
    code: -31103,
    reason: 'wrong_code',
    ms: 1.23456,
  })
  const [line] = parsed()
  assert.match(String(line?.time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.deepEqual(
    { ...line, time: 0 },
    {
      level: 'info',
      time: 0,
      requestId: '0123456789abcdef01234567',
      method: 'cards.create',
      profile: 'spec',
      code: -31103,
      reason: 'wrong_code',
      ms: 1.235,
      event: 'request',
    },
  )
})

test('times have milliseconds, also across the end of a second', () => {
  let at = Date.UTC(2026, 10, 21, 5, 33, 26, 999)
  const { log, parsed } = logged('debug', () => at)
  for (const ms of [0, 0, 1, 6, 94, 1000, -1101]) {
    at += ms
    log.info('tick')
    assert.equal(parsed().at(-1)?.time, new Date(at).toISOString())
  }
})

test('a field that is not on the list is not written', () => {
  const { log, lines } = logged()
  log.info('request', {
    params: { card: { number: pan } },
    token: 'secret-token',
    body: 'secret',
    __proto__: { a: 1 },
    toString: 'x',
    password: 'secret',
  })
  assert.deepEqual(Object.keys(JSON.parse(lines[0] ?? '') as object), ['level', 'time', 'event'])
})

test('a field on the list with a value of another shape is not written', () => {
  const { log, lines } = logged()
  log.info('request', {
    requestId: pan,
    method: pan,
    merchantId: [pan],
    code: Number(pan),
    reason: 'Card 8600',
    profile: { spec: pan },
    ms: NaN,
    url: 'http://h/?x=1',
    signal: pan,
  })
  assert.deepEqual(Object.keys(JSON.parse(lines[0] ?? '') as object), ['level', 'time', 'event'])
})

test('an error is described by class, code and stack; values in its message are left out', () => {
  const { log, parsed, lines } = logged()
  const cause = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })
  let syntax: unknown
  try {
    JSON.parse(`{"code":"secret`)
  } catch (err) {
    syntax = err
  }
  log.error('request_failed', { err: new TypeError(`row ${pan} of "Ivanov" is not iterable`, { cause }) })
  log.error('request_failed', { err: syntax })
  log.error('request_failed', { err: `thrown text ${pan}` })
  const [first, second, third] = parsed().map(
    (line) => line.err as { name: string; text: string; stack: string[]; cause: { code: string; text: string } },
  )
  assert.deepEqual(
    [first?.name, first?.text, first?.cause.code, first?.cause.text],
    ['TypeError', 'row … of … is not iterable', 'EPIPE', 'write EPIPE'],
  )
  assert.match(first?.stack[0] ?? '', /^at .*log\.test\.ts:\d+:\d+/)
  assert.deepEqual([second?.name, third?.name, third?.text], ['SyntaxError', 'string', ''])
  assert.ok(!/secret|Ivanov|8600/.test(lines.join('')))
  assert.equal(log.maskedCount(), 0)
})

test('the message of an error whose stack was tampered with is not written either', () => {
  const { log, lines } = logged()
  log.error('request_failed', {
    err: Object.assign(new Error('x'), { stack: `Error: ${pan}\n${pan}\n    at f (a.ts:1:2)`, name: `N ${pan}`, code: pan }),
  })
  assert.ok(!lines.join('').includes(pan))
  assert.equal(log.maskedCount(), 0)
})

test('the tripwire masks a card number that got through, counts it and logs that it did', () => {
  const { log, lines } = logged()
  log.info(`said ${pan}`)
  assert.equal(log.maskedCount(), 1)
  assert.ok(!lines.join('').includes(pan))
  assert.match(lines[0] ?? '', /said \[card number\]/)
  assert.match(lines[1] ?? '', /"level":"error".*"count":1,"event":"log_tripwire"/)
})

test('the tripwire names the event of the line that it masked', () => {
  const { log, lines } = logged()
  log.warn('custodian_share', { custodian: pan })
  log.info(`said_${pan}`)
  assert.match(lines[0] ?? '', /"custodian":"\[card number\]"/)
  assert.match(lines[1] ?? '', /"count":1,"inEvent":"custodian_share","event":"log_tripwire"/)
  // An event that is a number itself ends too.
  assert.match(lines[3] ?? '', /"inEvent":"said_\[card number\]","event":"log_tripwire"/)
  assert.deepEqual([lines.length, log.maskedCount()], [5, 3])
  assert.ok(!lines.join('').includes(pan))
})

const seen = [
  pan,
  '8600 0691 9540 6311',
  '8600-0691-9540-6311',
  `pan=${pan};`,
  `x${pan}y`,
  '4444445987459073',
  '"n":3333336415804657,',
  '000000000000',
  'a4444445987459073b',
  '8600\u00a00691\u00a09540\u00a06311',
  '8600.0691.9540.6311',
  '340000000000009',
  '８６０００６９１９５４０６３１１',
]
for (const text of seen) test(`the tripwire sees ${text}`, () => assert.equal(scrubLine(`{"a":"${text}"}`).found, 1))

const unseen = [
  '8600069195406312',
  '2026-11-21T02:11:05.123Z 2026-11-21',
  '860006******6311',
  '0123456789012345678901234',
  '65f0c0ffee0000000000cafe',
  'a4444445987459073abcdef0',
]
for (const text of unseen) test(`the tripwire lets ${text} be`, () => assert.equal(scrubLine(`{"a":"${text}"}`).found, 0))

test('20,000 hex ids do not fire the tripwire', () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => createHash('sha256').update(String(i)).digest('hex').slice(0, 24))
  assert.equal(scrubLine(JSON.stringify(ids)).found, 0)
})

test('when the reader of the log is gone, lines are dropped and counted, and the service continues', async () => {
  const script = `
    const { openLogSink } = await import(${JSON.stringify(new URL('./sink.ts', import.meta.url).href)})
    const sink = openLogSink(2)
    const line = 'x'.repeat(1000) + '\\n'
    const until = performance.now() + 10_000
    while (sink.dropped() === 0 && performance.now() < until) {
      for (let i = 0; i < 100; i++) sink.write(line)
      await new Promise((resolve) => setImmediate(resolve))
    }
    sink.flush()
    console.log(sink.dropped() > 0 ? 'counted' : 'not counted')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stderr.destroy()
  let said = ''
  child.stdout.on('data', (chunk) => (said += String(chunk)))
  const code = await new Promise((resolve) => child.once('close', resolve))
  assert.deepEqual([code, said.trim()], [0, 'counted'])
})

test('lines below the level are not written', () => {
  const { log, lines } = logged('warn')
  log.debug('a')
  log.info('b')
  log.warn('c')
  log.error('d')
  assert.equal(lines.length, 2)
})
