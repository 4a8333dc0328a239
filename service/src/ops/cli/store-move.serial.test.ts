import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import pg from 'pg'

import { startCluster, type Cluster } from '../../../../tools/postgres.ts'

import { moveStore, type StoreMove } from '../../store/move/move-store.ts'
import { noWalk } from '../../store/walk.ts'
import { makeScratch, runTessera, startTesseraChild, until, type Ended, type Started } from '../../testing/child.fixture.ts'

import { ExitError } from '../exits.ts'

import { runOn, startHere } from './boot.fixture.ts'
import { controlSocketName } from './control-client.ts'

// time limit: 300 s

const scratch = makeScratch()
const card = { number: '8600495473316478', expire: '0399' }
let cluster: Cluster
let databases = 0

before(async () => {
  cluster = await startCluster()
})
after(() => cluster.stop())

interface Target {
  readonly cards: string
  readonly keys: string
  readonly env: NodeJS.ProcessEnv
}

async function makeTarget(): Promise<Target> {
  const number = databases++
  const urlOf = (name: string): string => cluster.url.replace(/postgres$/, `${name}_${String(number)}`)
  for (const name of ['moved_cards', 'moved_keys']) await runOn(cluster.url, `create database ${name}_${String(number)}`)
  const [cards, keys] = [urlOf('moved_cards'), urlOf('moved_keys')]
  return { cards, keys, env: { TESSERA_DATABASE_URL: cards, TESSERA_KEYS_DATABASE_URL: keys } }
}

function move(folder: string, { env }: Target, ...options: string[]): Promise<Ended> {
  return runTessera(['store', 'move', '--json', `--data=${folder}`, ...options], env).ended
}

/** Calls without a pause, of which those that were acknowledged are counted. */
function startLoad(first: Started): {
  readonly tokens: string[]
  follow(next: Started): void
  stop(): Promise<void>
  readonly gaps: number[]
} {
  let [service, isOver] = [first, false]
  const [tokens, gaps]: [string[], number[]] = [[], []]
  let lastAt = performance.now()
  const noteDone = (): void => {
    gaps.push(performance.now() - lastAt)
    lastAt = performance.now()
  }
  const run = async (): Promise<void> => {
    while (!isOver) {
      try {
        const { reply } = await service.call('cards.create', { card, save: true })
        if (reply.result !== undefined) {
          tokens.push(reply.result.card.token)
          noteDone()
        } else await new Promise((resolve) => setTimeout(resolve, 20))
      } catch {
        // No service listens between the stop and the start.
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    }
  }
  const runs = [run(), run(), run(), run()]
  return {
    tokens,
    gaps,
    follow: (next) => void (service = next),
    async stop() {
      isOver = true
      await Promise.all(runs)
    },
  }
}

test('a service under load is moved: every acknowledged card is found on PostgreSQL, after a pause of a restart and the last changes', async (t) => {
  const target = await makeTarget()
  const folder = join(scratch, 'load')
  const beganAt = performance.now()
  const first = await startTesseraChild(folder)
  const startMs = performance.now() - beganAt
  const load = startLoad(first)
  t.after(load.stop)
  await until(() => load.tokens.length > 300, 'some cards')
  const moved = await move(folder, target)
  assert.equal(moved.code, 0, `${moved.out}${moved.err}${first.err().slice(-3000)}`)
  const report = (JSON.parse(moved.out) as { moved: { tables: number; rows: number; changed: number; pauseMs: number } }).moved
  assert.ok(report.rows > 300 && report.changed > 0, JSON.stringify(report))
  const ended = await first.ended
  assert.equal(ended.code, 0, ended.err)
  const second = await startTesseraChild(folder, [], target.env)
  load.follow(second)
  const countThen = load.tokens.length
  await until(() => load.tokens.length > countThen + 50, 'cards on PostgreSQL')
  await load.stop()
  const longest = Math.max(...load.gaps)
  t.diagnostic(
    `${JSON.stringify(report)}, without an acknowledged call ${String(Math.round(longest))} ms, a start ${String(Math.round(startMs))} ms`,
  )
  assert.ok(report.pauseMs < 3000, `writes waited ${String(report.pauseMs)} ms`)
  // On a quiet machine five seconds; elsewhere in comparison with a start in the same run, since most of it is one.
  assert.ok(
    longest < Math.max(5000, 3 * startMs),
    `without an acknowledged call for ${String(longest)} ms, a start takes ${String(startMs)} ms`,
  )
  for (const token of load.tokens) {
    const { reply } = await second.call('cards.check', { token }, true)
    assert.equal(reply.result?.card.token, token)
  }
  const checked = await second.ask('store', 'check')
  assert.equal(checked.code, 0, `${checked.out}${checked.err}${second.err()}`)
  assert.equal((await second.stop()).code, 0)
})

/** A data folder with some cards, on which no service runs. */
async function makeFolder(name: string): Promise<{ readonly folder: string; readonly token: string }> {
  const folder = join(scratch, name)
  const service = await startHere(flagsOf(folder))
  const { result } = await service.call('cards.create', { card, save: true })
  await service.stop()
  return { folder, token: result?.card.token ?? assert.fail('no card') }
}

function flagsOf(folder: string, target: Target | null = null): string[] {
  const on = target === null ? [] : [`--database-url=${target.cards}`, `--keys-database-url=${target.keys}`]
  return ['--port=0', '--admin-port=0', `--data=${folder}`, '--dashboard-password-cost=4', '--database-wait-seconds=0', ...on]
}

/** Which stores a service starts on; each that it starts on has the card. */
async function findStarting(folder: string, token: string, target: Target): Promise<string[]> {
  const starting: string[] = []
  for (const [name, flags] of [
    ['embedded', flagsOf(folder)],
    ['postgres', flagsOf(folder, target)],
  ] as const) {
    const service = await startHere(flags).catch((err: unknown) => {
      if (err instanceof ExitError) return null
      throw err
    })
    if (service === null) continue
    starting.push(name)
    const { result } = await service.call('cards.check', { token })
    await service.stop()
    assert.equal(result?.card.token, token, name)
  }
  return starting
}

/** Moves a stopped store, or moves it back, in a process that is killed at a step. */
async function moveAndDie(folder: string, target: Target, step: string, isBack = false): Promise<void> {
  const parts = [
    { schema: 'cards', path: join(folder, 'tessera.db'), url: target.cards },
    { schema: 'keys', path: join(folder, 'keys.db'), url: target.keys },
  ]
  const child = spawn(process.execPath, [crashingMove, JSON.stringify({ parts, step, isBack })], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  assert.deepEqual([code, signal], step === '' ? [0, null] : [null, 'SIGKILL'], step)
}

for (const [step, inCharge] of [
  ['capturing', 'embedded'],
  ['copied', 'embedded'],
  ['compared', 'embedded'],
  ['locked', 'embedded'],
  ['ready', 'embedded'],
  ['marked', 'postgres'],
  ['complete', 'postgres'],
] as const) {
  test(`a move that is killed when it is ${step} leaves the ${inCharge} store in charge, and never both`, async () => {
    const target = await makeTarget()
    const { folder, token } = await makeFolder(`killed-${step}`)
    await moveAndDie(folder, target, step)
    assert.deepEqual(await findStarting(folder, token, target), [inCharge])
    if (inCharge === 'postgres') return
    // What it has left is in nobody's way.
    await moveAndDie(folder, target, '')
    assert.deepEqual(await findStarting(folder, token, target), ['postgres'])
  })
}

test('before the first write on PostgreSQL the way back is open, and what is interrupted there is repeated', async () => {
  const target = await makeTarget()
  const { folder, token } = await makeFolder('back')
  await moveAndDie(folder, target, '')
  for (const step of ['compared', 'closed']) {
    await moveAndDie(folder, target, step, true)
    const starting = await findStarting(
      folder,
      token,
      step === 'compared' ? { ...target, cards: 'postgres://nobody@127.0.0.1:1/x' } : target,
    )
    assert.deepEqual(starting, [], `killed when ${step}`)
  }
  const back = await move(folder, target, '--back')
  assert.equal(back.code, 0, `${back.out}${back.err}`)
  assert.deepEqual(await findStarting(folder, token, target), ['embedded'])
  // PostgreSQL refuses whoever writes to it.
  await assert.rejects(runOn(target.cards, 'delete from cards'), /store_moved/)
})

test('a start on PostgreSQL that served no call leaves the way back open, which waits for no other session', async () => {
  const target = await makeTarget()
  const { folder, token } = await makeFolder('started')
  await moveAndDie(folder, target, '')
  const service = await startHere(flagsOf(folder, target))
  // Its jobs are under way: one counts the entry of the move for the charts.
  const isCounted = 'select seq from tally_places where seq = (select max(seq) from audit where chain = tally_places.chain)'
  await until(async () => (await runOn(target.cards, isCounted)).length > 0, 'the counters')
  await service.stop()
  const holder = new pg.Client({ connectionString: target.cards })
  await holder.connect()
  await holder.query('begin; lock table cards in row exclusive mode')
  const locked = await move(folder, target, '--back')
  await holder.end()
  assert.deepEqual([locked.code, /another session uses a table/.test(locked.out)], [64, true], locked.out)
  const back = await move(folder, target, '--back')
  assert.equal(back.code, 0, `${back.out}${back.err}`)
  assert.deepEqual(await findStarting(folder, token, target), ['embedded'])
})

test('after a write on PostgreSQL the way back is closed', async () => {
  const target = await makeTarget()
  const { folder } = await makeFolder('written')
  await moveAndDie(folder, target, '')
  const service = await startHere(flagsOf(folder, target))
  await service.call('cards.create', { card, save: true })
  await service.stop()
  const back = await move(folder, target, '--back')
  assert.equal(back.code, 64, `${back.out}${back.err}`)
  assert.match(back.out, /the way back is closed/)
  await (await startHere(flagsOf(folder, target))).stop()
})

test('a target that does not respond during the switch lets the writes go on after three seconds', async () => {
  const target = await makeTarget()
  const { folder, token } = await makeFolder('silent')
  let [sessions, lockedAt]: [number[], number] = [[], 0]
  const parts: StoreMove['parts'] = [{ schema: 'cards', path: join(folder, 'tessera.db'), url: target.cards }]
  const listSessions = 'select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
  const moving = moveStore({
    parts,
    moveId: 'silent',
    source: 'source',
    walk: noWalk,
    checkCopy: async () => undefined,
    beforePause: async () => void (sessions = (await runOn(target.cards, listSessions)).map((row) => (row as { pid: number }).pid)),
    auditHeads: async () => null,
    now: () => performance.now(),
    unixMs: () => Date.now(),
    onStep(step) {
      if (step !== 'locked') return
      lockedAt = performance.now()
      for (const pid of sessions) process.kill(pid, 'SIGSTOP')
    },
  })
  try {
    await assert.rejects(moving, /PostgreSQL does not respond .* nothing was moved/)
    const waitedMs = performance.now() - lockedAt
    assert.ok(sessions.length > 0 && waitedMs < 20_000, `${String(waitedMs)} ms`)
  } finally {
    for (const pid of sessions) process.kill(pid, 'SIGCONT')
  }
  assert.deepEqual(await findStarting(folder, token, target), ['embedded'])
})

test('after a move, commands that read the store refuse settings that name the embedded database, and another move says which store is in charge', async () => {
  const target = await makeTarget()
  const { folder, token } = await makeFolder('left-over')
  await moveAndDie(folder, target, '')
  const left = join(scratch, 'left-over-copy')
  const commands = [
    ['backup', left],
    ['keys', 'backup', `${left}.db`],
    ['store', 'check'],
    ['retention', 'report'],
  ]
  for (const isStarted of [false, true]) {
    if (isStarted) assert.deepEqual(await findStarting(folder, token, target), ['postgres'])
    for (const command of commands) {
      const { code, out, err } = await runTessera([...command, `--data=${folder}`]).ended
      assert.deepEqual([command, code], [command, 78], out + err)
      assert.match(err, isStarted ? /was used with PostgreSQL/ : /was moved to PostgreSQL/)
      assert.ok(!existsSync(left))
    }
    const again = await move(folder, target)
    assert.deepEqual([again.code, /PostgreSQL is in charge/.test(again.out)], [69, true], again.out)
  }
})

test('a move whose reply is lost says which store is in charge', async () => {
  const target = await makeTarget()
  const { folder } = await makeFolder('lost-reply')
  const service = createServer((socket) => void socket.on('error', () => undefined).once('data', () => socket.destroy()))
  service.listen(join(folder, controlSocketName))
  await once(service, 'listening')
  const before = await move(folder, target)
  assert.deepEqual([before.code, /Nothing was moved: the embedded database is in charge/.test(before.out)], [69, true], before.out)
  await moveAndDie(folder, target, '')
  const behind = await move(folder, target)
  assert.deepEqual([behind.code, /PostgreSQL is in charge/.test(behind.out)], [69, true], behind.out)
  service.close()
})

test('a target that cannot be used is refused with its reason, and rows of others that came after an earlier attempt stay', async () => {
  const target = await makeTarget()
  const service = await startTesseraChild(join(scratch, 'unusable'))
  const refusals = [
    ['alter database $ set default_transaction_read_only = on', /PostgreSQL is read-only/],
    [
      'alter database $ reset default_transaction_read_only; drop schema public cascade',
      /no schema has been selected .* may not create tables/,
    ],
    ['create schema public; create table cards (foreign_row integer)', /something of another program .*cards.* name an empty database/],
  ] as const
  for (const [change, expected] of refusals) {
    await runOn(target.cards, 'set transaction_read_only = off; ' + change.replace('$', new URL(target.cards).pathname.slice(1)))
    const refused = await move(service.folder, target)
    assert.deepEqual([refused.code, expected.test(refused.out)], [64, true], refused.out)
  }
  // It has the mark of this attempt.
  await runOn(target.cards, 'drop table cards; create table orders as select 1 as id')
  const full = await move(service.folder, target)
  assert.deepEqual([full.code, /the target is not empty: its table orders has rows/.test(full.out)], [64, true], full.out)
  assert.equal((await runOn(target.cards, 'select 1 from orders')).length, 1)
  await runOn(target.cards, 'drop table orders')
  const moved = await move(service.folder, target)
  assert.equal(moved.code, 0, moved.out)
  await service.ended
})

test('a target that has rows, and settings of another key provider, are refused; a cancelled move leaves nothing behind', async () => {
  const target = await makeTarget()
  const service = await startTesseraChild(join(scratch, 'refused'))
  assert.ok((await service.call('cards.create', { card, save: true })).reply.result)
  const other = await startHere(flagsOf(join(scratch, 'other'), target))
  await other.stop()
  const full = await move(service.folder, target)
  assert.deepEqual([full.code, /the target is not empty/.test(full.out)], [64, true], full.out)
  const foreign = await runTessera(['store', 'move', '--json', `--data=${service.folder}`, '--kek=transit'], (await makeTarget()).env).ended
  assert.deepEqual([foreign.code, /another environment or another provider of the KEK/.test(foreign.out)], [64, true], foreign.out)
  const away = await runTessera(['store', 'move', '--json', `--data=${service.folder}`], {
    TESSERA_DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/x',
  }).ended
  assert.deepEqual(
    [away.code, /PostgreSQL cannot be used/.test(away.out), /hunter2/.test(away.out + service.err())],
    [64, true, false],
    away.out,
  )
  const next = await makeTarget()
  const cancelled = runTessera(['store', 'move', `--data=${service.folder}`], next.env)
  await until(() => service.err().split('store_move_started').length > 2, 'the move')
  cancelled.kill('SIGKILL')
  await cancelled.ended
  await until(() => service.err().split('store_move_ended').length > 2 || service.err().includes('store_moved'), 'its end')
  if (!service.err().includes('"event":"store_moved"')) {
    assert.ok((await service.call('cards.create', { card, save: true })).reply.result, 'the service goes on')
    const db = new DatabaseSync(join(service.folder, 'tessera.db'), { readOnly: true })
    assert.deepEqual(db.prepare("select name from sqlite_schema where name like 'store_move%'").all(), [])
    db.close()
  }
  assert.equal((await service.stop()).code, 0)
})

const crashingMove = fileURLToPath(new URL('../../store/move/crashing-move.fixture.ts', import.meta.url))
