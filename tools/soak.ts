// `npm run soak`: searches and fault loops that take hours. Each has a short version in npm test.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommandLine } from './command-line.ts'
import { findTests } from './find-tests.ts'
import { runTests } from './run-tests.ts'
import { allowedSkips } from './skips.ts'
import { formatTally, tally } from './tally.ts'

/** A long search: a test file with a larger count in its environment, or an experiment of `npm run fault` with more cycles. */
type Soak = { name: string; count: number; unit: string; summary: string } & ({ test: string } | { experiment: string })

// prettier-ignore
const soaks: readonly Soak[] = [
  { name: 'payments',       count: 100_000,   unit: 'sequences', summary: 'random payments against the model, on both stores',       test: 'service/src/domain/payments/model.serial.test.ts' },
  { name: 'verification',   count: 20_000,    unit: 'rounds',    summary: 'random codes, clocks and removals against the model',     test: 'service/src/domain/verification/model.test.ts' },
  { name: 'bad-requests',   count: 2_000_000, unit: 'requests',  summary: 'malformed requests over real sockets',                    test: 'service/src/server/http/fuzz.serial.test.ts' },
  { name: 'reader',         count: 1_000_000, unit: 'texts',     summary: 'random JSON through the byte reader and JSON.parse',      test: 'service/src/server/reader/reader.test.ts' },
  { name: 'kill9',          count: 1000,      unit: 'cycles',    summary: 'kill -9 under load, on both stores',                      experiment: 'kill9' },
  { name: 'money',          count: 300,       unit: 'cycles',    summary: 'kill -9 amid payments, on both stores',                   experiment: 'money' },
  { name: 'io-error',       count: 100,       unit: 'cycles',    summary: 'a disk that fails, under load',                           experiment: 'io-error' },
  { name: 'half-load',      count: 60,        unit: 'minutes',   summary: 'memory, descriptors, log and p99 at half load',           experiment: 'soak' },
  { name: 'form-check',     count: 189,       unit: 'pages',     summary: 'the corpus of form-check in a browser, whole',              test: 'form-check/src/live/corpus.serial.test.ts' },
  { name: 'otp-race',       count: 1000,      unit: 'cycles',    summary: 'one code tried by many at once',                          experiment: 'otp-race' },
]

const width = Math.max(...soaks.map(({ name }) => name.length))
const usage = [
  'npm run soak -- [search …] [options]',
  '',
  ...soaks.map(({ name, count, unit, summary }) => `  ${name.padEnd(width)}  ${summary} (${count.toLocaleString('en')} ${unit})`),
  '',
  '  --count <n>      instead of the number above: sequences, rounds, requests, texts or cycles',
  '  --minutes <n>    the same for half-load: how long on each store',
  '  --store <name>   of an experiment: sqlite or postgres, instead of both, one after the other',
  '  --side-by-side   of an experiment: both stores at the same time, each with its part of the machine',
  '  --seed <n>       the seed that a failure printed: the same choices again',
  '  --hours <n>      how long each may take (12)',
  '',
  'Without names all of them, one after the other: more than a day. Ends with 1 when one found something or nothing ran.',
].join('\n')
const { values, positionals } = readCommandLine(
  {
    count: { type: 'string' },
    minutes: { type: 'string' },
    seed: { type: 'string' },
    store: { type: 'string' },
    'side-by-side': { type: 'boolean', default: false },
    hours: { type: 'string', default: '12' },
  },
  usage,
)
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort(new Error(`stopped by ${signal}`)))

process.exitCode = await main()

async function main(): Promise<number> {
  const unknown = positionals.filter((name) => !soaks.some((soak) => soak.name === name))
  if (unknown.length > 0) return refuse(`There is no search ${unknown.join(', ')}. There are ${soaks.map(({ name }) => name).join(', ')}.`)
  for (const option of ['count', 'minutes', 'seed', 'hours'] as const)
    if (!/^[1-9][0-9]{0,8}$/.test(values[option] ?? '1')) return refuse(`--${option} takes a whole number from 1.`)
  const { store } = values
  if (store !== undefined && store !== 'sqlite' && store !== 'postgres') return refuse(`--store takes sqlite or postgres, not ${store}.`)
  const wanted = soaks.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  const unfit = listUnfitOptions(wanted)
  if (unfit !== null) return refuse(unfit)
  const failed: string[] = []
  for (const soak of wanted) {
    const count = Number(values.count ?? values.minutes ?? soak.count)
    process.stdout.write(`${soak.name}: ${count.toLocaleString('en')} ${soak.unit}\n`)
    const isClean = 'test' in soak ? await runTest(soak.test, count) : await runExperiment(soak.experiment, count)
    if (!isClean) failed.push(soak.name)
    if (stopping.signal.aborted) return refuse(String(stopping.signal.reason))
  }
  process.stdout.write(failed.length === 0 ? 'Nothing was found.\n' : `Found something: ${failed.join(', ')}.\n`)
  return failed.length === 0 ? 0 : 1
}

/** A message about an option that one of the searches does not take, or null. */
function listUnfitOptions(wanted: readonly Soak[]): string | null {
  const { count, minutes, store } = values
  if (minutes !== undefined && count !== undefined) return '--minutes and --count are the same number: give one of them.'
  if (minutes !== undefined && wanted.some(({ unit }) => unit !== 'minutes')) return '--minutes is for half-load.'
  if (store !== undefined && values['side-by-side']) return '--side-by-side runs both stores: leave out --store.'
  if ((store !== undefined || values['side-by-side']) && wanted.some((soak) => 'test' in soak))
    return '--store and --side-by-side are for experiments: the other searches are tests, which choose their stores themselves.'
  return null
}

async function runTest(path: string, count: number): Promise<boolean> {
  const startedAt = performance.now()
  const say = (text: string): unknown => process.stdout.write(text)
  const seed = values.seed ?? String(randomInt(1, 2 ** 31))
  say(`Seed ${seed}.\n`)
  const env = { TESSERA_TEST_COUNT: String(count), TESSERA_TEST_SEED: seed }
  const secondsPerFile = Number(values.hours) * 3600
  const results = await runTests(findTests(root, [path]), { root, signal: stopping.signal, secondsPerFile, env, say })
  const sum = tally(results, allowedSkips)
  say(formatTally(sum, { seconds: (performance.now() - startedAt) / 1000 }) + '\n')
  return sum.failed === 0 && sum.passed > 0
}

async function runExperiment(name: string, cycles: number): Promise<boolean> {
  const { seed, store } = values
  const args = [
    join(root, 'fault', 'main.ts'),
    name,
    '--cycles',
    String(cycles),
    ...(seed === undefined ? [] : ['--seed', seed]),
    ...(store === undefined ? [] : ['--store', store]),
  ]
  if (!values['side-by-side']) return runProgram(args)
  const results = await Promise.all(['sqlite', 'postgres'].map((each) => runProgram([...args, '--store', each])))
  return results.every(Boolean)
}

async function runProgram(args: readonly string[]): Promise<boolean> {
  const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(Number(values.hours) * 3_600_000)])
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', signal })
  return new Promise((resolve) => child.once('error', () => resolve(false)).once('close', (code) => resolve(code === 0)))
}

function refuse(text: string): number {
  process.stderr.write(`${text}\n`)
  return 64
}
