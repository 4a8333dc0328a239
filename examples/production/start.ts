// `npm run example:production`: a production installation on this machine. --help says what it does.
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { faults } from './faults.ts'
import { startSystem, type ProductionSystem } from './system.ts'
import { writeSecret } from './services.ts'
import { runTour } from './tour.ts'
import { runTrial, type TrialResult } from './trial.ts'

const usage = `npm run example:production -- [options]

A production installation of Tessera on this machine: three processes on one PostgreSQL, an HSM (SoftHSM2), two SMS gateways (Kannel, by SMPP over TLS and
by HTTP), a double of a card network with ISO 8583 over TLS, nginx in front, and a merchant's server. A card is entered into the hosted form in a real
browser, verified by the code of the SMS, charged and refunded. Then each of them is killed, paused and lied through while payments go on, and the data keys
and the KEK are changed. Ends with 1 when anything was lost, taken twice or sent twice, or has not recovered.

  --only <part>          only the faults whose peer or description has this part; none: the tour alone
  --fault-seconds <n>    how long each fault lasts; default 3
  --keep                 after all that, leave everything running until Ctrl-C

It needs Debian's kannel, kannel-extras, softhsm2, nginx-light, openssl, PostgreSQL and Chromium, and stores everything in a temporary folder that it
removes. README.md beside it says what each part is on real machines.`

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort(signal))
const options = readOptions()
const say = (line: string): void => void process.stdout.write(`${line}\n`)
let system: ProductionSystem | null = null
try {
  system = await startSystem(say)
  await runTour(system, say)
  const chosen = options.only === 'none' ? [] : faults.filter(({ peer, what }) => `${peer} ${what}`.includes(options.only))
  if (options.only !== 'none' && chosen.length === 0) throw new Error(`no fault has the part ${options.only}`)
  if (chosen.length > 0) {
    const result = await runTrial(system, { faults: chosen, faultSeconds: options.faultSeconds, say, signal: stopping.signal })
    say(formatResult(result))
    if (result.violations.length > 0) process.exitCode = 1
  }
  if (options.keep) await keep(system)
} catch (err) {
  process.stderr.write(`${err instanceof Error ? err.message : String(err)}\n${describeErrors(system)}`)
  process.exitCode = 1
} finally {
  await system?.stop()
}

/** The newest errors in the logs, which are removed with the folder. */
function describeErrors(found: ProductionSystem | null): string {
  const lines = (found?.services ?? []).flatMap(({ process: { output } }, i) => {
    const errors = output()
      .split('\n')
      .filter((line) => /"level":"(error|fatal)"|row_tampered|"request_failed"/.test(line))
    return errors.slice(-4).map((line) => `tessera-${String(i + 1)}: ${line}\n`)
  })
  return lines.join('')
}

async function keep({ formOrigin, merchant, caFile, folder, installation, services }: ProductionSystem): Promise<void> {
  say(`\nEverything goes on until Ctrl-C. API: ${formOrigin}/api (its authority: ${caFile})`)
  const passwordFile = writeSecret(folder, 'merchant-password', merchant.password)
  say(`The merchant: ${merchant.id}; its password: ${passwordFile}`)
  say(`The logs and the configuration are in ${folder}; the codes in message-centre.log and fakesmsc.log`)
  say(
    `A command: ${describeEnvironment(installation.env)} npm run -s tessera -- status --config=${installation.config} --data=${String(services[0]?.data)}`,
  )
  while (!stopping.signal.aborted) await pause(200)
}

/** The variables that a command needs, as a shell takes them. */
function describeEnvironment(env: NodeJS.ProcessEnv): string {
  const own = Object.entries(env).filter(([name, value]) => value !== process.env[name])
  return own.map(([name, value]) => `${name}=${String(value)}`).join(' ')
}

function formatResult({ paid, unknown, unknownPaid, cards, repeated, repeatedTaken, violations }: TrialResult): string {
  const clarified = `${String(unknown)} of unknown outcome, of which ${String(unknownPaid)} had happened`
  const repeats = `${String(repeated)} payments were repeated with their keys, of which the network had taken ${String(repeatedTaken)} before`
  const lines = [`${String(paid)} payments acknowledged, ${clarified}; ${String(cards)} cards acknowledged`, repeats]
  if (violations.length === 0)
    return [...lines, 'Nothing was lost, nothing was taken twice, no second SMS was sent, and everything recovered.'].join('\n')
  return [...lines, `${String(violations.length)} violations:`, ...violations.map((each) => `  ${each}`)].join('\n')
}

function readOptions(): { readonly only: string; readonly faultSeconds: number; readonly keep: boolean } {
  const given = {
    only: { type: 'string' },
    'fault-seconds': { type: 'string' },
    keep: { type: 'boolean' },
    help: { type: 'boolean' },
  } as const
  try {
    const { values } = parseArgs({ options: given })
    if (values.help === true) {
      process.stdout.write(`${usage}\n`)
      process.exit(0)
    }
    const faultSeconds = Number(values['fault-seconds'] ?? 3)
    if (!(faultSeconds > 0 && faultSeconds <= 600)) throw new Error('--fault-seconds takes a number up to 600')
    return { only: values.only ?? '', faultSeconds, keep: values.keep ?? false }
  } catch (err) {
    process.stderr.write(`${err instanceof Error ? err.message : String(err)}\n\n${usage}\n`)
    process.exit(64)
  }
}
