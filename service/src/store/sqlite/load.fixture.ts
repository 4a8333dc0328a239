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
import { withTestAuditKey } from '../suite/audit-key.fixture.ts'

// A process that inserts cards as fast as it can and prints the outcome of each. Tests break it from outside.

/** The outcomes of a load, by the numbers of its cards. */
export interface StoreLoadResult {
  readonly stored: number[]
  readonly full: number[]
  readonly exitCode: number | null
  readonly stderr: string
}

/** Runs the load in a child process, until it ends; `until` is called after each card and may kill it. `wrap` is a command to run it under. */
export async function runInsertLoad(
  folder: string,
  from: number,
  until: (result: StoreLoadResult, child: ChildProcess) => void,
  wrap: string[] = [],
): Promise<StoreLoadResult> {
  const [file, ...args] = [...wrap, process.execPath, fileURLToPath(import.meta.url), folder, String(from)]
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  const result = { stored: [] as number[], full: [] as number[], exitCode: null as number | null, stderr: '' }
  child.stderr.on('data', (chunk: Buffer) => (result.stderr = (result.stderr + chunk.toString()).slice(-10_000)))
  const lines = createInterface({ input: child.stdout }).on('line', (line) => {
    const [word, number] = line.split(' ')
    if (word === 'stored') result.stored.push(Number(number))
    if (word === 'full') result.full.push(Number(number))
    until(result, child)
  })
  const [[code]] = (await Promise.all([once(child, 'exit'), once(lines, 'close')])) as [[number | null], unknown]
  result.exitCode = code
  return result
}

const [folder, from] = process.argv.slice(2)
if (process.argv[1] === fileURLToPath(import.meta.url) && folder !== undefined) await load(folder, Number(from))

async function load(folder: string, from: number): Promise<void> {
  const store = withTestAuditKey(await openSqliteStore({ folder }))
  let next = from
  const write = async (): Promise<void> => {
    for (;;) {
      const number = next++
      const word = await store.write(insertCard, { card: makeCard(number), audit: makeAuditEntry(makeCard(number)) }).then(
        () => 'stored',
        (err: unknown) => (err instanceof StoreFull ? 'full' : `failed ${String(err)}`),
      )
      // Reads have to work even when nothing can be written.
      await store.read(findCard(makeCard(from)))
      writeSync(1, `${word} ${number}\n`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, write))
}
