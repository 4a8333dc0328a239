// time limit: 240 s
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'

import { awaitWithin } from '../../../../tools/await-within.ts'
import { REQUEST_LOG_FILE } from '../../store/sqlite/request-log.ts'
import { SQLITE_FILE } from '../../store/sqlite/sqlite.ts'

import { makeScratch, startTesseraChild, until } from '../../testing/child.fixture.ts'
import type { Answered, Started } from '../../testing/child.fixture.ts'

const scratch = makeScratch()
const success = { number: '8600495473316478', expire: '0399' }
/** A card whose calls take 10 s and then fail. */
const slow = { number: '8600134301849596', expire: '0399' }

async function tokenOf(service: Started, card: object): Promise<string> {
  const { reply } = await service.call('cards.create', { card, save: true })
  return reply.result?.card.token ?? assert.fail(JSON.stringify(reply))
}

/** Asks for a code of the card that takes 10 s, and waits until the service works on it. */
async function beginSlowCall(service: Started): Promise<{ answered: Promise<Answered> }> {
  const token = await tokenOf(service, slow)
  const answered = service.call('cards.get_verify_code', { token })
  answered.catch(() => undefined)
  await until(async () => (await readiness(service)).inFlight === 1, 'the slow call to be in flight')
  return { answered }
}

async function readiness({ facts }: Started): Promise<{ status: number; state: string; inFlight: number }> {
  const response = await fetch(`${facts.adminUrl}/readyz`)
  return { status: response.status, ...((await response.json()) as { state: string; inFlight: number }) }
}

test('SIGTERM during a 10 s call: the call gets its reply, new ones are refused, readiness is draining, and the exit code is 0', async () => {
  const service = await startTesseraChild(join(scratch, 'drain'), ['--drain-seconds=14'])
  const token = await tokenOf(service, success)
  const { answered } = await beginSlowCall(service)
  service.kill('SIGTERM')
  await until(async () => (await readiness(service)).state === 'draining', 'draining')
  assert.equal((await readiness(service)).status, 503)
  assert.equal((await fetch(`${service.facts.adminUrl}/healthz`)).status, 200)
  const late = await service.call('cards.get_verify_code', { token }).catch(() => null)
  if (late !== null) assert.deepEqual([late.status, late.reply.error?.reason, late.headers.get('connection')], [503, 'draining', 'close'])
  const { status, reply } = await answered
  assert.deepEqual([status, reply.error?.code, reply.error?.reason], [200, -31002, 'network_timeout'])
  const { code, out, err } = await service.ended
  assert.deepEqual([code, out.trim().split('\n').at(-1)], [0, '{"stopped":{"callsCutOff":0}}'])
  assert.match(err, /"signal":"SIGTERM","count":1,"seconds":14,"event":"draining"/)
})

test('a call that outlasts the drain is cut off, counted, and the end is 0 all the same', async () => {
  const service = await startTesseraChild(join(scratch, 'cut'), ['--drain-seconds=1'])
  const { answered } = await beginSlowCall(service)
  const { code, out } = await service.stop()
  assert.deepEqual([code, out.trim().split('\n').at(-1)], [0, '{"stopped":{"callsCutOff":1}}'])
  await assert.rejects(answered, 'the connection is closed without a reply')
})

test('one Ctrl-C that arrives twice drains; a second Ctrl-C after a second ends at once with 130', async () => {
  const service = await startTesseraChild(join(scratch, 'interrupt'))
  await beginSlowCall(service)
  const startedAt = performance.now()
  let ended = false
  void service.ended.then(() => (ended = true))
  await until(() => {
    if (!ended) service.kill('SIGINT')
    return ended
  }, 'the end')
  const seconds = (performance.now() - startedAt) / 1000
  const { code, err } = await service.ended
  assert.equal(code, 130)
  assert.ok(seconds >= 1 && seconds < 8, `after ${String(seconds)} s`)
  assert.match(err, /"event":"draining"/)
  assert.match(err, /"exitCode":130,"event":"interrupted"/)
})

test('what was seen in the last moment before a stop is written: findings, the request log and how long calls took', async () => {
  const folder = join(scratch, 'last')
  const service = await startTesseraChild(folder)
  const { reply } = await service.call('cards.create', { card: success, cvv: '123' })
  assert.equal(reply.error?.reason, 'sensitive_authentication_data')
  assert.equal((await service.stop()).code, 0)
  const database = new DatabaseSync(join(folder, SQLITE_FILE), { readOnly: true })
  const count = (text: string): unknown => database.prepare(`select count(*) as count from ${text}`).get()?.['count']
  assert.deepEqual([count('findings'), count("tallies where name like 'ms:%'")], [1, 1])
  database.close()
  const requests = new DatabaseSync(join(folder, REQUEST_LOG_FILE), { readOnly: true })
  assert.equal(requests.prepare('select sum(calls) as calls from request_segments').get()?.['calls'], 1)
  requests.close()
})

test('SIGUSR1 opens no inspector', async () => {
  const service = await startTesseraChild(join(scratch, 'usr1'))
  service.kill('SIGUSR1')
  await until(() => service.err().includes('signal_ignored'), 'a line about the signal')
  assert.equal((await service.call('cards.create', { card: success })).status, 200)
  const { code, err } = await service.stop()
  assert.equal(code, 0)
  assert.ok(!err.includes('Debugger'))
})

test('killed without a goodbye it starts again on the same folder, and every token is good', async () => {
  const folder = join(scratch, 'killed')
  const first = await startTesseraChild(folder)
  const token = await tokenOf(first, success)
  first.kill('SIGKILL')
  assert.equal((await first.ended).signal, 'SIGKILL')
  const second = await startTesseraChild(folder)
  assert.equal((await second.call('cards.check', { token }, true)).reply.result?.card.token, token)
  assert.equal((await second.ask('status')).code, 0, 'the socket that was left behind is taken over')
  const report = await second.ask('audit', 'verify', '--json')
  assert.deepEqual([report.code, (JSON.parse(report.out) as { findings: unknown[] }).findings], [0, []])
  assert.equal((await second.stop()).code, 0)
})

test('a service that hangs is reported as not replying', async () => {
  const service = await startTesseraChild(join(scratch, 'hung'))
  service.kill('SIGSTOP')
  const { code, err } = await service.ask('status')
  service.kill('SIGCONT')
  assert.equal(code, 69)
  assert.match(err, /^tessera: the service on .*hung cannot be reached \(no reply\)/)
  assert.equal((await service.stop()).code, 0)
})

test('core dumps are off', async () => {
  const service = await startTesseraChild(join(scratch, 'core'))
  assert.equal(service.facts.coreDumps, 'off')
  await service.stop()
})

/** Runs a script in a process that handles signals and errors as `tessera start` does. */
function runWithSignalHandlers(script: string): { status: number | null; stderr: string } {
  const from = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href)
  const opening = [
    `const { handleProcessSignals } = await import(${from('./signals.ts')})`,
    `const { makeLog } = await import(${from('../logging/log.ts')})`,
    `const { openLogSink } = await import(${from('../logging/sink.ts')})`,
    `const { makeSystemClock } = await import(${from('../../system-clock.ts')})`,
    `const sink = openLogSink(2)`,
    `const signals = handleProcessSignals(makeLog('info', sink, Date.now), sink, makeSystemClock())`,
    `setInterval(() => {}, 1000)`,
  ]
  return spawnSync(process.execPath, ['--input-type=module', '-e', [...opening, script].join('\n')], { encoding: 'utf8', timeout: 20_000 })
}

for (const [what, script] of [
  ['an uncaught exception', `setImmediate(() => { throw new TypeError('the card "8600069195406311" of Ivanov is broken') })`],
  ['an unhandled rejection', `void Promise.reject(new TypeError('the card "8600069195406311" of Ivanov is broken'))`],
]) {
  test(`${String(what)} ends the process with 70 and one line that quotes no value`, () => {
    const { status, stderr } = runWithSignalHandlers(String(script))
    assert.equal(status, 70)
    const lines = stderr.trim().split('\n')
    assert.equal(lines.length, 1, stderr)
    const line = JSON.parse(lines[0] ?? '') as { event: string; exitCode: number; err: { name: string; text: string; stack: string[] } }
    assert.deepEqual([line.event, line.exitCode, line.err.name], ['crashed', 70, 'TypeError'])
    assert.ok(line.err.stack.length > 0)
    assert.ok(!/8600|log_tripwire/.test(stderr))
  })
}

test('a terminal that has gone away ends nothing', async () => {
  const service = await startTesseraChild(join(scratch, 'deaf'))
  service.closeStreams()
  for (let i = 0; i < 50; i++) assert.equal((await service.call('cards.create', { card: success })).status, 200)
  service.kill('SIGTERM')
  assert.equal((await service.ended).code, 0)
})

test('SIGTERM to npm start stops the service, and npm ends after it', async () => {
  const args = ['start', '--silent', '--', '--json', '--port=0', '--admin-port=0', `--data=${join(scratch, 'npm')}`]
  const npm = spawn('npm', args, { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  const group = npm.pid ?? assert.fail('npm did not start')
  let out = ''
  npm.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
  const ended = new Promise<void>((resolve) => npm.once('exit', () => resolve()))
  try {
    await until(() => Promise.resolve(out.includes('{"ready"')), 'npm start to be ready')
    npm.kill('SIGTERM')
    await awaitWithin(ended, 'npm ends')
    assert.throws(() => process.kill(-group, 0), { code: 'ESRCH' }, 'nothing of it runs any more')
    await until(() => out.endsWith('{"stopped":{"callsCutOff":0}}\n'), 'the last line of the service')
  } finally {
    try {
      process.kill(-group, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
})
