// needs: build, patroni, haproxy, pgbouncer
// time limit: 580 s
import assert from 'node:assert/strict'
import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openApiClient } from '../api-client.ts'
import { makeFolder } from '../service-data.ts'
import { runCommand, startService, type RunningService } from '../spawn.ts'
import { startPatroni, type PatroniCluster, type PatroniTimes } from './cluster.ts'
import { startWatchedLoad, type LoadWindow, type WatchedLoad } from './watched-load.ts'

// Three processes of the service on Patroni's cluster, behind PgBouncer and HAProxy, while the leader hands over, dies, and stands still.

const folder = makeFolder()
after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))

/** The shortest that Patroni takes, and its defaults. */
const shortTimes = { ttl: 20, loopWait: 2, retryTimeout: 3, isSynchronous: true }
const defaultTimes = { ttl: 30, loopWait: 10, retryTimeout: 10, isSynchronous: true }

for (const [name, times, faults] of [
  ['short', shortTimes, ['switchover', 'leader killed', 'leader paused for 30 s and woken']],
  ['default', defaultTimes, ['leader killed']],
] as const)
  test(`with ttl ${String(times.ttl)} and loop_wait ${String(times.loopWait)} no acknowledged card is lost, and calls succeed again by themselves`, async () => {
    await withServices(join(folder, name), times, async ({ cluster, services, load }) => {
      const quiet = await measure('no fault', times, load, () => pause(5000))
      assert.equal(quiet.failed.size, 0, JSON.stringify([...quiet.failed]))
      for (const fault of faults) {
        const window = await measure(fault, times, load, async () => {
          await inject(fault, cluster)
          await untilSucceeding(load)
          await cluster.untilWhole()
        })
        // Patroni gives the leader's lock away after ttl, and looks each loop_wait; HAProxy, PgBouncer and the service find the new leader within seconds.
        const boundMs = fault === 'switchover' ? 15_000 : (times.ttl + times.loopWait + 15) * 1000
        assert.ok(window.gapMs < boundMs, `${fault}: no card for ${String(Math.round(window.gapMs))} ms`)
        for (const reason of window.failed.keys()) assert.ok(isRetryable(reason), `${fault}: ${reason}`)
      }
      await load.stop()
      const { lost, checked } = await findLost(services, load.tokens)
      say(`${String(checked)} acknowledged cards with ttl ${String(times.ttl)}: ${String(lost.length)} lost`)
      assert.deepEqual(lost, [])
      assert.ok(checked > 200, String(checked))
      const data = services[0]?.data ?? ''
      const verified = await runCommand(['audit', 'verify', `--data=${data}`])
      assert.equal(verified.code, 0, verified.out)
    })
  })

test('control: without synchronous replication the commits that no standby had are found lost', async () => {
  const times = { ...shortTimes, isSynchronous: false }
  await withServices(join(folder, 'control'), times, async ({ cluster, services, load }) => {
    const leader = (await cluster.leader()) ?? assert.fail('there is no leader')
    // What the standbys had before is not lost.
    await pause(3000)
    await measure('control: asynchronous, no standby for 4 s, leader killed', times, load, async () => {
      const standbys = ['pg1', 'pg2', 'pg3'].filter((name) => name !== leader)
      // Killed, not paused: what is on the way to a paused one waits in its socket, and is not lost.
      for (const name of standbys) await cluster.kill(name)
      await pause(4000)
      await cluster.kill(leader)
      for (const name of standbys) cluster.start(name)
      await untilOtherLeads(cluster, leader)
    })
    await load.stop()
    const { lost, checked } = await findLost(services, load.tokens)
    say(`control: ${String(lost.length)} of ${String(checked)} acknowledged cards lost`)
    assert.ok(lost.length > 0 && lost.length < checked)
    assert.ok(
      lost.every((each) => each.includes('card_not_found')),
      lost[0],
    )
  })
})

function say(text: string): void {
  process.stdout.write(`# ${text}\n`)
}

interface Installation {
  readonly cluster: PatroniCluster
  readonly services: readonly (RunningService & { readonly data: string })[]
  readonly load: WatchedLoad
}

async function withServices(place: string, times: PatroniTimes, run: (installation: Installation) => Promise<void>): Promise<void> {
  mkdirSync(place)
  const cluster = await startPatroni(place, times)
  const services: (RunningService & { readonly data: string })[] = []
  try {
    for (const number of [1, 2, 3]) {
      const data = join(place, `data-${String(number)}`)
      mkdirSync(data, { mode: 0o700 })
      const [first] = services
      if (first !== undefined) copyFileSync(join(first.data, 'development.kek'), join(data, 'development.kek'))
      services.push({ ...(await startService({ flags: [`--data=${data}`, `--database-url=${cluster.url}`] })), data })
    }
    const load = startWatchedLoad(services, 40)
    try {
      await run({ cluster, services, load })
    } finally {
      await load.stop()
    }
  } finally {
    await Promise.all(services.map((service) => service.stop()))
    await cluster.stop()
  }
}

async function inject(fault: string, cluster: PatroniCluster): Promise<void> {
  const leader = (await cluster.leader()) ?? assert.fail('there is no leader')
  if (fault === 'switchover') {
    await cluster.switchover()
    return untilOtherLeads(cluster, leader)
  }
  if (fault === 'leader killed') {
    await cluster.kill(leader)
    // The killed one comes back as a standby then.
    await untilOtherLeads(cluster, leader)
    cluster.start(leader)
    return
  }
  cluster.pause(leader)
  await pause(30_000)
  // Otherwise the pause itself was all that was measured.
  const during = await cluster.leader()
  assert.ok(during !== null && during !== leader, `${String(during)} led while ${leader} stood still`)
  cluster.wake(leader)
}

async function untilOtherLeads(cluster: PatroniCluster, former: string): Promise<void> {
  for (let attempt = 0; attempt < 450; attempt++) {
    const leader = await cluster.leader()
    if (leader !== null && leader !== former) return
    await pause(200)
  }
  assert.fail(`nobody but ${former} leads`)
}

async function measure(
  fault: string,
  { ttl, loopWait, retryTimeout }: PatroniTimes,
  load: WatchedLoad,
  run: () => Promise<void>,
): Promise<LoadWindow> {
  load.takeWindow()
  await run()
  await pause(2000)
  const window = load.takeWindow()
  const failed = [...window.failed].map(([reason, count]) => `${reason} ${String(count)}`).join(', ')
  const seconds = (ms: number): string => (ms / 1000).toFixed(1)
  say(
    `ttl ${String(ttl)}, loop_wait ${String(loopWait)}, retry_timeout ${String(retryTimeout)} | ${fault} | ${String(window.succeeded)} created | failed: ${failed || 'none'} | ` +
      `calls failed for ${seconds(window.failedForMs)} s | no card for ${seconds(window.gapMs)} s | slowest reply ${seconds(window.slowestMs)} s | not ready for ${seconds(window.notReadyMs)} s`,
  )
  return window
}

/** Until cards are created again: as many as three processes make in some seconds. */
async function untilSucceeding(load: WatchedLoad): Promise<void> {
  const before = load.tokens.length
  for (let attempt = 0; load.tokens.length < before + 60; attempt++) {
    if (attempt > 600) assert.fail('no card is created any more')
    await pause(200)
  }
}

/** What a client may send again with the same Idempotency-Key. */
function isRetryable(reason: string): boolean {
  return ['store_unavailable', 'outcome_unknown', 'overloaded', 'primary_refused'].includes(reason)
}

async function findLost(services: readonly RunningService[], tokens: readonly string[]): Promise<{ lost: string[]; checked: number }> {
  const lost: string[] = []
  const client = await openApiClient(services[0] ?? assert.fail())
  for (const token of tokens) {
    const outcome = await client.check(token)
    if (outcome.kind !== 'result') lost.push(`${token} ${JSON.stringify(outcome)}`)
  }
  client.close()
  return { lost, checked: tokens.length }
}
