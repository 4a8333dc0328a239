import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { findCard, insertCard } from '../cards.ts'
import { StoreFull } from '../store.ts'
import { makeCard, makeAuditEntry } from '../suite/samples.fixture.ts'
import { openSqliteStore } from './sqlite.ts'

// A process that writes cards as fast as it may, and says of each what it was told. Tests break it from outside.

/** What a load was told of each card, by its number. */
export interface Told {
  readonly kept: number[]
  readonly full: number[]
  readonly exitCode: number | null
  readonly said: string
}

/** Runs the load in a child, until it ends or `until` says so; `wrap` is a command to run it under. */
export async function runLoad(
  folder: string,
  from: number,
  until: (told: Told, child: ChildProcess) => void,
  wrap: string[] = [],
): Promise<Told> {
  const [file, ...args] = [...wrap, process.execPath, fileURLToPath(import.meta.url), folder, String(from)]
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const told = { kept: [] as number[], full: [] as number[], exitCode: null as number | null, said: '' }
  child.stderr.on('data', (chunk: Buffer) => (told.said = (told.said + chunk.toString()).slice(-10_000)))
  const lines = createInterface({ input: child.stdout }).on('line', (line) => {
    const [word, number] = line.split(' ')
    if (word === 'kept') told.kept.push(Number(number))
    if (word === 'full') told.full.push(Number(number))
    until(told, child)
  })
  const [[code]] = (await Promise.all([once(child, 'exit'), once(lines, 'close')])) as [[number | null], unknown]
  told.exitCode = code
  return told
}

const [folder, from] = process.argv.slice(2)
if (process.argv[1] === fileURLToPath(import.meta.url) && folder !== undefined) await load(folder, Number(from))

async function load(folder: string, from: number): Promise<void> {
  const store = await openSqliteStore({ folder })
  let next = from
  const write = async (): Promise<void> => {
    for (;;) {
      const number = next++
      const word = await store.write(insertCard, { card: makeCard(number), audit: makeAuditEntry(makeCard(number)) }).then(
        () => 'kept',
        (err: unknown) => (err instanceof StoreFull ? 'full' : `failed ${String(err)}`),
      )
      // Read while nothing can be written, too.
      await store.read(findCard(makeCard(from)))
      writeSync(1, `${word} ${number}\n`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, write))
}
