// `npm run side-by-side`: this service beside other vaults, with the same cards, on the same database server. docs/operating/side-by-side.md describes it.
import { killAll } from '../../fault/spawn.ts'
import { readCommandLine } from '../../tools/command-line.ts'
import { describeMachine } from '../history.ts'
import type { Measure } from '../measurement.ts'
import { compareVaults } from './compare-vaults.ts'
import { readForeignVaults, startContenders, type Contender } from './contenders.ts'
import { describeUnsafe, readDurability } from './durability.ts'
import { vaultKinds } from './vault-api.ts'
import { formatVaultMeasures } from './vault-table.ts'

const usage = `npm run side-by-side -- [options]

  --postgres <url>        the server for all vaults, as a superuser (one of its own in the folder of temporary files)
  --vault <kind>=<url>    another vault that already runs: ${vaultKinds.slice(3).join(', ')}, or another tessera
  --process <kind>=<pid>  its processes, several with commas: without them its CPU time is not printed
  --database <kind>=<url> its PostgreSQL: without it neither the CPU time nor the settings of that are printed
  --login <kind>=<login>  the X-Auth of another tessera
  --connections <n>       (64)
  --requests <n>          of each vault in a round (20000)
  --rounds <n>            of each vault (9)
  --rate <n>              calls a second of the rounds at a fixed rate (half of what the slowest vault can do)
  --json                  one JSON object

Tessera, the floor and the baseline are started here. docs/operating/side-by-side.md says what is measured.`

const text = { type: 'string' } as const
const texts = { type: 'string', multiple: true } as const
const { values } = readCommandLine(
  {
    postgres: text,
    vault: texts,
    process: texts,
    database: texts,
    login: texts,
    connections: text,
    requests: text,
    rounds: text,
    rate: text,
    json: { type: 'boolean', default: false },
  },
  usage,
)

process.exitCode = await main()

async function main(): Promise<number> {
  let options
  try {
    options = {
      foreign: readForeignVaults({
        vault: values.vault ?? [],
        process: values.process ?? [],
        database: values.database ?? [],
        login: values.login ?? [],
      }),
      connections: readCount('connections', 64),
      requests: readCount('requests', 20_000),
      rounds: readCount('rounds', 9),
      perSecond: values.rate === undefined ? null : readCount('rate', 0),
    }
  } catch (err) {
    process.stderr.write(`${err instanceof Error ? err.message : String(err)}\n`)
    return 64
  }
  const { foreign, ...comparison } = options
  const started = await startContenders(values.postgres ?? null, foreign)
  try {
    const notes = await describeContenders(started.contenders)
    if (!values.json) process.stdout.write(`${notes.join('\n')}\n\n`)
    const say = (line: string): unknown => !values.json && process.stderr.write(`        ${line}\n`)
    const measures = await compareVaults({ ...comparison, contenders: started.contenders, say })
    print({ notes, measures, vaults: started.contenders.map(({ name }) => name) })
    return 0
  } finally {
    await started.stop()
    await killAll()
  }
}

interface VaultReport {
  readonly notes: readonly string[]
  readonly measures: readonly Measure[]
  readonly vaults: readonly string[]
}

function print({ notes, measures, vaults }: VaultReport): void {
  const { connections, requests, rounds } = values
  if (values.json)
    process.stdout.write(`${JSON.stringify({ machine: describeMachine(), options: { connections, requests, rounds }, notes, measures })}\n`)
  else process.stdout.write(`${formatVaultMeasures(measures, vaults)}\n`)
}

/** What each vault does in its two calls, and what a COMMIT of it means. Throws when one returns before its row is on a disk. */
async function describeContenders(contenders: readonly Contender[]): Promise<string[]> {
  const lines: string[] = []
  for (const { name, api, databaseUrl, pids } of contenders) {
    lines.push(`${name}: ${api.about}`)
    if (pids.length === 0) lines.push('  its processes are not named (--process), so its CPU time is not printed')
    if (databaseUrl === null) {
      lines.push('  its database is not named (--database), so nothing is known of how durable its rows are')
      continue
    }
    const durability = await readDurability(databaseUrl)
    const unsafe = describeUnsafe(durability)
    if (unsafe.length > 0)
      throw new Error(`${name}: ${unsafe.join(', ')}; its figures cannot be compared with those of vaults that wait for the disk.`)
    const settings = Object.entries(durability.settings).map(([setting, value]) => `${setting} ${value}`)
    lines.push(`  ${settings.join(', ')}${durability.isInMemory ? '; its files are in memory, where a sync costs nothing' : ''}`)
  }
  return lines
}

function readCount(name: 'connections' | 'requests' | 'rounds' | 'rate', usual: number): number {
  const given = values[name]
  if (given === undefined) return usual
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new Error(`--${name} takes a whole number above 0, not "${given}".`)
  return Number(given)
}
