import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'

import type { BenchRun } from '../history.ts'

import { readCosts } from './costs.ts'

/** Measures the costs of all calls on both stores, stores them for `npm run capacity`, and prints its page anew. Returns the exit code. */
export function measureAnew(): number {
  const [load = 0] = loadavg()
  if (load > availableParallelism() / 4)
    return refuse(
      `The load average is ${load.toFixed(1)}: other work is going on, and these figures would be part of the docs. Wait until it has ended.`,
    )
  const run = spawnSync(process.execPath, ['bench/main.ts', 'costs', '--json'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (run.status !== 0) return refuse(`npm run bench -- costs ended with ${String(run.status)}; nothing was stored.`)
  const measured = JSON.parse(run.stdout) as BenchRun
  for (const store of ['sqlite', 'postgres'] as const) readCosts(measured.measures, store)
  writeFileSync(new URL('measured.json', import.meta.url), formatRun(measured))
  const printed = spawnSync(process.execPath, ['tools/print-docs.ts'], { cwd: root, stdio: 'inherit' })
  return printed.status ?? 70
}

/** One line for each value, so that a diff shows which changed. */
export function formatRun({ measures, ...about }: BenchRun): string {
  const lines = measures.map((measure) => {
    const members = Object.entries(measure).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`)
    return `    { ${members.join(', ')} }`
  })
  const head = JSON.stringify(about, null, 2).replace(/\n}$/, '')
  return `${head},\n  "measures": [\n${lines.join(',\n')}\n  ]\n}\n`
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`)
  return 70
}

const root = fileURLToPath(new URL('../../', import.meta.url))
