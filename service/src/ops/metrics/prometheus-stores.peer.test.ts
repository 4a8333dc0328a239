// needs: prometheus, postgres
// time limit: 300 s
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'

import { startCluster, startStandby, type Cluster } from '../../../../tools/postgres.ts'
import { makeScratch, startTesseraChild, until, type Started } from '../../testing/child.fixture.ts'
import { damageIndexes, runOn } from '../cli/boot.fixture.ts'

import { provokedByStores } from './monitoring.fixture.ts'
import { stallSeenSeconds, startPrometheus, watchAlerts, whileCalling, type RunningPrometheus } from './prometheus.fixture.ts'

// The shipped alerts about servers of PostgreSQL and the log, with the real Prometheus: a service on a primary and its standby.

/** The alerts that this test has made fire, and end, are in `provoked`. */
const { fires, ends, provoked } = watchAlerts(() => prometheus)

const scratch = makeScratch()
let first: Cluster
let second: Cluster
let prometheus: RunningPrometheus
let paired: Started

before(async () => {
  first = await startCluster()
  second = await startStandby(first)
  const hosts = [first, second].map(({ port }) => `127.0.0.1:${String(port)}`).join(',')
  paired = await startTesseraChild(join(scratch, 'paired'), [], {
    TESSERA_DATABASE_URL: `postgres://postgres@${hosts}/postgres`,
  })
  prometheus = await startPrometheus(join(scratch, 'prometheus'), {
    services: [new URL(paired.facts.adminUrl).host],
  })
})

after(async () => {
  await prometheus.stop()
  paired.kill('SIGKILL')
  await paired.ended
  await second.stop()
  await first.stop()
})

test('a standby that is promoted beside its primary, until the older one is stopped', async () => {
  await runOn(second.url, 'select pg_promote()')
  await fires('TesseraPrimaryRefused')
  await first.halt()
  await ends('TesseraPrimaryRefused')
})

test('damaged files of PostgreSQL, until the table is built anew and checked', async () => {
  const token = await createVerifiedToken()
  await damageIndexes(second)
  await whileCalling(
    () => paired.call('cards.check', { token }, true),
    1,
    () => fires('TesseraStoreDamaged'),
  )
  await runOn(second.url, 'reindex table cards')
  await command(paired, 'store', 'check')
  await ends('TesseraStoreDamaged')
})

test('a log that nobody reads any more', async () => {
  paired.closeStreams()
  await whileCalling(createVerifiedToken, 2, () => fires('TesseraLogLinesDropped'))
  await ends('TesseraLogLinesDropped')
})

test('no alert of servers or the log is left in the end, and those that were provoked are in the table', async (t) => {
  await command(paired, 'backup', join(scratch, 'backup-of-paired'), `--database-url=${second.url}`)
  let left: readonly string[] = []
  await until(async () => (left = await prometheus.firing()).length === 0, 'every alert to end', stallSeenSeconds).catch(() =>
    assert.fail(left.join(' ')),
  )
  t.diagnostic(`in a real service: ${[...provoked].sort().join(' ')}`)
  assert.deepEqual([...provoked].sort(), [...provokedByStores].sort())
})

async function command(service: Started, ...args: readonly string[]): Promise<void> {
  const { code, out, err } = await service.ask(...args)
  assert.equal(code, 0, `${args.join(' ')}: ${out}${err}`)
}

interface Result {
  readonly card?: { readonly token: string }
}

/** An error is an empty result: the database may be away. */
async function callPaired(method: string, params: object): Promise<Result> {
  return (await paired.call(method, params, true)).reply.result ?? {}
}

async function createVerifiedToken(): Promise<string> {
  const { card } = await callPaired('cards.create', { card: { number: '8600495473316478', expire: '0399' }, save: true })
  const token = card?.token ?? ''
  await callPaired('cards.get_verify_code', { token })
  await callPaired('cards.verify', { token, code: '666666' })
  return token
}
