import assert from 'node:assert/strict'
import { closeSync, cpSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'

import pg from 'pg'

import type { Cluster } from '../../../../tools/postgres.ts'
import type { Readiness, RunningInfo } from '../../app/lifecycle.ts'
import type { Clock } from '../../clock.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { readConfig } from '../config/config.ts'
import { ExitError, type Exit } from '../exits.ts'
import type { Log } from '../logging/log.ts'

import { startCheckedService } from './start.ts'

/** What a start needs, apart from this process: a data folder, a database and a key store, which a test damages. */
export interface Installation {
  readonly store: 'sqlite' | 'postgres'
  readonly folder: string
  /** The settings, as flags. */
  readonly flags: readonly string[]
  /** Runs SQL on the cards' database, or on that of the keys. */
  readonly run: (text: string, on?: 'cards' | 'keys') => Promise<readonly object[]>
  /** A copy of everything in it. */
  readonly copy: () => Promise<Installation>
  /** Removes the key store. */
  readonly loseKeys: () => Promise<void>
  /** Puts the key store of another installation in place of its own. */
  readonly takeKeysOf: (other: Installation) => Promise<void>
  /** Replaces the database of the cards by an empty one. */
  readonly loseCards: () => Promise<void>
}

export function makeSqliteInstallation(scratch: string): Installation {
  const folder = freshFolder(scratch)
  const pathOf = (file: string): string => join(folder, file)
  return {
    store: 'sqlite',
    folder,
    flags: commonFlags(folder),
    run: async (text, on = 'cards') => {
      const db = new DatabaseSync(pathOf(on === 'cards' ? 'tessera.db' : 'keys.db'))
      try {
        return db.prepare(text).all()
      } finally {
        db.close()
      }
    },
    copy: async () => {
      const copied = makeSqliteInstallation(scratch)
      cpSync(folder, copied.folder, { recursive: true })
      return copied
    },
    loseKeys: async () => rmSync(pathOf('keys.db')),
    takeKeysOf: async (other) => cpSync(join(other.folder, 'keys.db'), pathOf('keys.db')),
    loseCards: async () => rmSync(pathOf('tessera.db')),
  }
}

/** Two databases of its own on the cluster, one for the cards and one for the keys. */
export async function makePostgresInstallation(
  cluster: Cluster,
  scratch: string,
  template?: { readonly cards: string; readonly keys: string },
): Promise<Installation> {
  const number = databases++
  const [cards, keys] = [`cards_${number}`, `keys_${number}`]
  await runOn(cluster.url, `create database ${cards} ${template === undefined ? '' : `template ${template.cards}`}`)
  await runOn(cluster.url, `create database ${keys} ${template === undefined ? '' : `template ${template.keys}`}`)
  const folder = freshFolder(scratch)
  const urlOf = (name: string): string => cluster.url.replace(/postgres$/, name)
  const recreate = async (name: string, from = 'template1'): Promise<void> => {
    await runOn(cluster.url, `drop database ${name}`)
    await runOn(cluster.url, `create database ${name} template ${from}`)
  }
  return {
    store: 'postgres',
    folder,
    flags: [...commonFlags(folder), `--database-url=${urlOf(cards)}`, `--keys-database-url=${urlOf(keys)}`],
    run: (text, on = 'cards') =>
      on === 'cards' ? runOn(urlOf(cards), text) : runOn(urlOf(keys), text.replace(/\bkeys\b/, 'tessera_keys.keys')),
    copy: async () => {
      const copied = await makePostgresInstallation(cluster, scratch, { cards, keys })
      cpSync(folder, copied.folder, { recursive: true })
      return copied
    },
    loseKeys: () => recreate(keys),
    takeKeysOf: (other) => recreate(keys, nameIn(other.flags, '--keys-database-url=')),
    loseCards: () => recreate(cards),
  }
}

/** The name of the database in a flag. */
export function nameIn(flags: readonly string[], flag: string): string {
  return (
    flags
      .find((each) => each.startsWith(flag))
      ?.split('/')
      .at(-1) ?? assert.fail(flag)
  )
}

export async function runOn(url: string, text: string): Promise<readonly object[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows as object[]
  } finally {
    await client.end()
  }
}

export interface StartedHere {
  readonly info: RunningInfo
  readonly stop: () => Promise<number>
  /** Calls the API as the demo merchant. */
  readonly call: (method: string, params: object) => Promise<CallReply>
  readonly readyz: () => Promise<Pick<Readiness, 'state' | 'reason' | 'away'> & { readonly status: number }>
}

interface CallReply {
  readonly result?: { readonly card: { readonly token: string } }
  readonly error?: { readonly reason: string }
}

/** Starts a service in this process: the whole start but for signals, log and output. */
export async function startHere(flags: readonly string[], clock: Clock = makeSystemClock()): Promise<StartedHere> {
  const { config } = readConfig(flags, {})
  const service = await startCheckedService(config, {
    clock,
    log: silent,
    stopping: new AbortController().signal,
    endNow: (_exit, event, err) => {
      throw new Error(event, { cause: err })
    },
  })
  running.add(service.stop)
  const { info } = service
  return {
    info,
    stop: () => {
      running.delete(service.stop)
      return service.stop()
    },
    async call(method, params) {
      const auth = `${info.demo?.merchantId ?? ''}:${info.demo?.password ?? ''}`
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const response = await fetch(`${info.url}/api/${method}`, { method: 'POST', headers: { 'x-auth': auth }, body })
      return (await response.json()) as CallReply
    },
    async readyz() {
      const response = await fetch(`${info.adminUrl}/readyz`)
      return { status: response.status, ...((await response.json()) as { state: string }) }
    },
  }
}

/** Why a start is refused. A service that starts fails the test. */
export async function findStartRefusal(flags: readonly string[]): Promise<{ readonly exit: Exit; readonly message: string }> {
  try {
    await (await startHere(flags)).stop()
  } catch (err) {
    if (err instanceof ExitError) return { exit: err.exit, message: err.message }
    throw err
  }
  return assert.fail('the service started')
}

/** The files of a data folder with their content, but for the lock. */
export function listFolder(folder: string): Record<string, string> {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('tessera.lock')) : []
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name)).toString('base64')]))
}

function commonFlags(folder: string): string[] {
  return ['--port=0', '--admin-port=0', `--data=${folder}`, '--dashboard-password-cost=4', '--database-wait-seconds=0']
}

export function freshFolder(scratch: string): string {
  const folder = join(scratch, `installation-${folders++}`)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

const ignore = (): void => undefined
const silent: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore, maskedCount: () => 0, dropped: () => 0 }
const running = new Set<() => Promise<number>>()
// A failed test leaves its service running, which would keep the file from ending.
after(() => Promise.all([...running].map((stop) => stop())))
let folders = 0
let databases = 0

/** Every index of the cards begins with a page that is none of an index. */
export async function damageIndexes(cluster: Cluster): Promise<void> {
  const paths = await runOn(cluster.url, `select pg_relation_filepath(indexrelid) as path from pg_index where indrelid = 'cards'::regclass`)
  await cluster.halt()
  for (const row of paths) {
    const file = openSync(join(cluster.folder, 'data', (row as { path: string }).path), 'r+')
    writeSync(file, Buffer.alloc(16), 0, 16, endOfPageHeader)
    closeSync(file)
  }
  await cluster.start()
}

const endOfPageHeader = 24
