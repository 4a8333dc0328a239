import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { InvalidSettingsError } from '../config/sources.ts'
import { settings } from '../config/config.ts'
import type { Config, ReadSettings } from '../config/config.ts'
import { makeSystemClock } from '../../system-clock.ts'

import { callOperator, displayPath, type ControlReply } from './control-client.ts'
import { printTable, type Command, type CommandInput } from './command.ts'
import { readCoreDumps } from '../core-dumps.ts'
import { ExitError } from '../exits.ts'
import { silentLog } from '../logging/log.ts'

/** The result of one check. */
export interface DoctorFinding {
  readonly check: string
  readonly ok: boolean
  readonly found: string
  /** What to do; '' when nothing has to be fixed. */
  readonly advice: string
  /** Whether the check could not be made, because one before it failed. */
  readonly skipped?: true
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Runs every check of a start, and checks Node, disk, clock and file modes; says what to fix.',
  details:
    'Changes nothing, and can be run while the service runs. Reports every failure. Exit code 1 when something has to be fixed.\n' +
    'Run it as the user and with the settings of the service: it looks at what the settings name.',
  async run(input) {
    const findings = await examine(input)
    const rows = findings.map(({ check, ok, found, advice, skipped }) => [
      skipped === true ? 'skip' : ok ? 'ok' : 'FIX',
      check,
      advice === '' ? found : `${found}${found.endsWith('.') ? '' : ':'} ${advice}`,
    ])
    return {
      exit: findings.every(({ ok }) => ok) ? 'done' : 'findings',
      data: { findings },
      text: printTable(['', 'check', 'found'], rows),
    }
  },
}

async function examine(input: CommandInput): Promise<DoctorFinding[]> {
  const findings = [checkNode()]
  const read = readSafely(input, findings)
  if (read === null) return findings
  const { config } = read
  findings.push(...checkConfigFile(read), ...(await runStartChecks(config)))
  findings.push(...checkFolder(config.dataFolder), checkDisk(config.dataFolder), checkClock(config.dataFolder), checkCoreDumps())
  return findings
}

/** The checks that a start runs, all of them. Loaded here because they load the service, which other commands do not need. */
async function runStartChecks(config: Config): Promise<DoctorFinding[]> {
  const [{ startChecks }, { makeStartSubject }, { chooseAdapters }, { explainStart }] = await Promise.all([
    import('../../app/start-checks.ts'),
    import('../../app/start-subject.ts'),
    import('../../app/production-checks.ts'),
    import('./explain-start.ts'),
  ])
  let isServing = false
  const subject = makeStartSubject(config, {
    adapters: chooseAdapters(config),
    clock: makeSystemClock(),
    log: silentLog,
    claim: async () => {
      const reply = await callRunningService(config)
      isServing = reply !== null
      return describeService(reply)
    },
    isServing: () => isServing,
    retry: (step) => step(),
  })
  const findings: DoctorFinding[] = []
  /** The first check that failed with each error: what is opened once fails once. */
  const reported = new Map<unknown, string>()
  for (const { name, run } of startChecks) {
    try {
      findings.push(finding(name, true, await run(subject), ''))
    } catch (err) {
      const first = reported.get(err)
      reported.set(err, first ?? name)
      findings.push(...(first === undefined ? describeFailure(name, explainStart(err, config, neverStopping)) : [skipped(name, first)]))
    }
  }
  await subject.close()
  return findings
}

/** One finding for each reason that the error lists. */
function describeFailure(check: string, err: unknown): DoctorFinding[] {
  if (!(err instanceof ExitError))
    return [finding(check, false, err instanceof Error ? err.message : String(err), 'an internal error: please report it')]
  const [first = '', ...reasons] = err.what.split('\n')
  return reasons.length === 0 ? [finding(check, false, first, err.advice)] : reasons.map((reason) => finding(check, false, reason, ''))
}

function skipped(check: string, because: string): DoctorFinding {
  return { check, ok: false, found: `not checked, because "${because}" failed`, advice: '', skipped: true }
}

function checkNode(): DoctorFinding {
  const major = Number(process.versions.node.split('.')[0])
  return finding(
    'node',
    major >= NODE_MAJOR_MIN,
    `v${process.versions.node}`,
    `Node ${String(NODE_MAJOR_MIN)} or newer is needed; npm start brings its own`,
  )
}

function readSafely(input: CommandInput, findings: DoctorFinding[]): ReadSettings | null {
  try {
    const read = input.settings()
    const setCount = Object.values(read.origins).filter((origin) => origin !== 'default').length
    findings.push(finding('settings', true, `${String(setCount)} set, the others at their defaults`, ''))
    return read
  } catch (err) {
    if (!(err instanceof InvalidSettingsError)) throw err
    findings.push(...err.faults.map((fault) => finding('settings', false, fault, 'see tessera start --help')))
    return null
  }
}

/** The reply of the service that runs on the folder; null when none does. Throws `ExitError` when it does not respond. */
async function callRunningService({ dataFolder }: Config): Promise<ControlReply<'operator.status.get'> | null> {
  return callOperator(dataFolder, 'operator.status.get', {}).catch((cause: unknown) => {
    throw new ExitError('unavailable', `the service on ${displayPath(dataFolder)} cannot be reached (${errorCodeOf(cause)}).`, {
      cause,
      advice: 'Run this as the user that the service runs as; when it is that user, see the log of the service.',
    })
  })
}

/** Throws `ExitError` when the service is not ready. */
function describeService(reply: ControlReply<'operator.status.get'> | null): string {
  if (reply === null) return 'none is running'
  if ('result' in reply && reply.result.ready) return 'running and responding'
  const state = 'result' in reply ? describeState(reply.result) : reply.error.message
  throw new ExitError('unavailable', `the service runs and is not ready (${state}).`, { advice: 'See the other checks, and its log.' })
}

function describeState({ state, reason }: { readonly state: string; readonly reason?: unknown }): string {
  return typeof reason === 'string' ? `${state}: ${reason}` : state
}

/** A config file with a password must be readable by the service's user only. */
function checkConfigFile({ config, origins }: ReadSettings): DoctorFinding[] {
  const hasSecret = settings.some(({ name, secret }) => secret === true && origins[name] === 'file')
  if (config.configFile === null || !hasSecret) return []
  const isPrivate = (statSync(config.configFile).mode & 0o077) === 0
  return [
    finding(
      'config file',
      isPrivate,
      modeOf(config.configFile),
      `it contains a password and other users can read it: chmod 600 ${config.configFile}`,
    ),
  ]
}

function checkFolder(folder: string): DoctorFinding[] {
  if (!existsSync(folder)) {
    return [
      finding(
        'folder',
        isWritable(nearestFolder(folder)),
        `${displayPath(folder)} does not exist yet`,
        `this user cannot write its parent`,
      ),
    ]
  }
  const names = listNames(folder)
  if (typeof names === 'string') {
    const advice = names === 'ENOTDIR' ? 'it is not a folder' : 'run this as the user that the service runs as'
    return [finding('folder', false, `${displayPath(folder)} (${names})`, advice)]
  }
  const open = names.filter((name) => ((statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
  return [
    finding('folder', isWritable(folder), displayPath(folder), 'this user cannot write it'),
    finding(
      'folder mode',
      (statSync(folder).mode & 0o077) === 0,
      modeOf(folder),
      `other users can read it: chmod 700 ${displayPath(folder)}`,
    ),
    finding(
      'file modes',
      open.length === 0,
      open.length === 0 ? 'all private' : open.join(', '),
      'other users can read these: chmod 600 them',
    ),
  ]
}

/** The names in a folder, or the error code of the system. */
function listNames(folder: string): string[] | string {
  try {
    return readdirSync(folder)
  } catch (err) {
    return errorCodeOf(err)
  }
}

function checkDisk(folder: string): DoctorFinding {
  const { bavail, bsize } = statfsSync(nearestFolder(folder))
  const freeMegabytes = Math.floor((bavail * bsize) / 2 ** 20)
  return finding(
    'disk',
    freeMegabytes >= FREE_MEGABYTES_MIN,
    `${String(freeMegabytes)} MB free`,
    `less than ${String(FREE_MEGABYTES_MIN)} MB: writes will soon be refused`,
  )
}

/** A clock behind the newest file would give codes and tokens wrong lifetimes. */
function checkClock(folder: string): DoctorFinding {
  const names = listNames(folder)
  const paths = typeof names === 'string' ? [] : [folder, ...names.map((name) => join(folder, name))]
  const newest = Math.max(0, ...paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0))
  const now = makeSystemClock().now()
  const behindSeconds = Math.round((newest - now) / 1000)
  return finding(
    'clock',
    behindSeconds < CLOCK_SECONDS_MAX,
    new Date(now).toISOString(),
    `${String(behindSeconds)} s behind the newest file of the data folder: set it, and synchronize it by NTP`,
  )
}

function checkCoreDumps(): DoctorFinding {
  const found = readCoreDumps()
  return finding('core dumps', true, found === 'on' ? 'on in this shell; the service switches its own off' : found, '')
}

function nearestFolder(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearestFolder(dirname(folder))
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return true
  } catch {
    return false
  }
}

function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8)
}

function errorCodeOf(err: unknown): string {
  return (err as NodeJS.ErrnoException).code ?? 'unknown'
}

function finding(check: string, ok: boolean, found: string, advice: string): DoctorFinding {
  return { check, ok, found, advice: ok ? '' : advice }
}

const neverStopping = new AbortController().signal
const NODE_MAJOR_MIN = 24
const FREE_MEGABYTES_MIN = 200
const CLOCK_SECONDS_MAX = 5
