import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { isPrivateFile } from '../../adapters/private-file.ts'
import { InvalidSettingsError } from '../config/sources.ts'
import { settings } from '../config/config.ts'
import { listPrivateTransports } from '../config/private-transports.ts'
import type { Config, ReadSettings } from '../config/config.ts'
import { makeSystemClock } from '../../system-clock.ts'

import { readCoreDumps } from '../core-dumps.ts'
import { describeSwap, readSwaps } from '../swap.ts'

import { printTable, type Command, type CommandInput } from './command.ts'
import { displayPath } from './control-client.ts'
import { finding, type DoctorFinding } from './doctor-finding.ts'
import { printGoingLive, tickGoingLive } from './going-live.ts'
import { checkPeers } from './peer-checks.ts'
import { runStartChecks } from './run-start-checks.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'Runs every check of a start, connects to outside systems, and checks Node, disk, clock and file modes; says what to fix.',
  details:
    'Changes nothing, sends nothing, and can be run while the service runs. Reports every failure, and compares the ends of the audit with what was recorded of them.\n' +
    'Exit code 1 when something has to be fixed.\n' +
    'With --production it also goes through the checklist of docs/operating/going-live.md, and ticks what it can see.\n' +
    'Run it as the user and with the settings of the service: it looks at what the settings name.',
  options: [
    { name: 'production', meaning: 'Also print the checklist before going live, with what is done and what only a person can confirm.' },
  ],
  async run(input) {
    const { findings, read } = await examine(input)
    const rows = findings.map(({ check, ok, found, advice, skipped }) => [
      skipped === true ? 'skip' : ok ? 'ok' : 'FIX',
      check,
      advice === '' ? found : `${found}${found.endsWith('.') ? '' : ':'} ${advice}`,
    ])
    const checklist = input.options.has('production') && read !== null ? tickGoingLive(read.config, findings) : []
    const isDone = findings.every(({ ok }) => ok) && checklist.every(({ state }) => state !== 'open')
    const table = printTable(['', 'check', 'found'], rows)
    return {
      exit: isDone ? 'done' : 'findings',
      data: checklist.length === 0 ? { findings } : { findings, checklist },
      text: checklist.length === 0 ? table : `${table}\n\n${printGoingLive(checklist)}`,
    }
  },
}

/** What the checks found, with the settings; null when they are refused. */
export async function examine(input: CommandInput): Promise<{ readonly findings: DoctorFinding[]; readonly read: ReadSettings | null }> {
  const findings = [checkNode()]
  const read = readSafely(input, findings)
  if (read === null) return { findings, read }
  const { config } = read
  findings.push(
    ...checkConfigFile(read),
    ...checkSecrets(read),
    ...describeOutside(config),
    ...(await runStartChecks(config)),
    ...(await checkPeers(config)),
  )
  findings.push(...checkFolder(config.dataFolder), checkDisk(config.dataFolder), checkClock(config.dataFolder), checkCoreDumps())
  findings.push(finding('swap', true, describeSwap(readSwaps()), ''))
  return { findings, read }
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

/** A config file with a password must be readable by the service's user only. */
function checkConfigFile({ config, origins }: ReadSettings): DoctorFinding[] {
  const hasSecret = settings.some(({ name, secret }) => secret === true && origins[name] === 'file')
  if (config.configFile === null || !hasSecret) return []
  const isPrivate = isPrivateFile(config.configFile)
  return [
    finding(
      'config file',
      isPrivate,
      modeOf(config.configFile),
      `it contains a password and other users can read it: chmod 600 ${config.configFile}`,
    ),
  ]
}

/** Other users see flags, and every program that the service starts gets its environment. */
function checkSecrets({ config, origins }: ReadSettings): DoctorFinding[] {
  if (config.environment !== 'production') return []
  const inClear = settings.filter(({ name, secret }) => secret === true && origins[name] !== 'default' && origins[name] !== 'secret file')
  return inClear.map(({ name, env }) =>
    finding('secrets', true, `${env} is given by ${originNames[origins[name] ?? 'default']}; a file (${env}_FILE) shows it to fewer`, ''),
  )
}

const originNames = {
  flag: 'a flag',
  environment: 'the environment',
  file: 'the config file',
  'secret file': 'a file',
  default: 'default',
} as const

/** What the operator has declared about lines and networks. Nothing of it can be checked, so that it is shown. */
function describeOutside(config: Config): DoctorFinding[] {
  const lines = listPrivateTransports(settings, config).map(({ env, reason }) =>
    finding('private line', reason !== null, `${env}=private, without TLS: ${reason ?? 'no reason is given'}`, ''),
  )
  const networks = config.outboundNetworks ?? []
  const found = networks.length === 0 ? 'the public internet only' : `the public internet, and ${networks.join(', ')}`
  return [...lines, finding('outbound networks', true, `endpoints of merchants may be in ${found}`, '')]
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

const NODE_MAJOR_MIN = 24
const FREE_MEGABYTES_MIN = 200
const CLOCK_SECONDS_MAX = 5
