import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'

import { SettingsRefused } from '../config/sources.ts'
import { settings } from '../config/config.ts'
import type { Config, ReadSettings } from '../config/config.ts'
import { readHosts } from '../../store/postgres/hosts.ts'
import { makeSystemClock } from '../../system-clock.ts'

import { callOperator, shownFolder } from './control-client.ts'
import { printTable, type Command, type CommandInput } from './command.ts'
import { readCoreDumps } from '../core-dumps.ts'

/** One thing that was looked at. */
export interface DoctorFinding {
  readonly check: string
  readonly ok: boolean
  readonly found: string
  /** What to do; '' when all is well. */
  readonly advice: string
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks Node, the settings, the data folder, ports, disk and clock, and says what to fix.',
  about: 'Changes nothing. Exit code 1 when something has to be fixed.',
  async run(input) {
    const findings = await examine(input)
    const rows = findings.map(({ check, ok, found, advice }) => [ok ? 'ok' : 'FIX', check, advice === '' ? found : `${found}: ${advice}`])
    return { exit: findings.every(({ ok }) => ok) ? 'done' : 'found', facts: { findings }, text: printTable(['', 'check', 'found'], rows) }
  },
}

async function examine(input: CommandInput): Promise<DoctorFinding[]> {
  const findings = [checkNode()]
  const read = readSafely(input, findings)
  if (read === null) return findings
  const { config } = read
  const running = await checkRunning(config, findings)
  findings.push(...checkConfigFile(read), ...(await checkDatabases(config)))
  findings.push(...checkFolder(config.dataFolder), checkDisk(config.dataFolder), checkClock(config.dataFolder), checkCoreDumps())
  if (!running)
    findings.push(await checkPort('port', config.host, config.port), await checkPort('adminPort', '127.0.0.1', config.adminPort))
  return findings
}

function checkNode(): DoctorFinding {
  const major = Number(process.versions.node.split('.')[0])
  return tell(
    'node',
    major >= NODE_MAJOR_MIN,
    `v${process.versions.node}`,
    `Node ${String(NODE_MAJOR_MIN)} or newer is needed; npm start brings its own`,
  )
}

function readSafely(input: CommandInput, findings: DoctorFinding[]): ReadSettings | null {
  try {
    const read = input.settings()
    const said = Object.values(read.origins).filter((origin) => origin !== 'default').length
    findings.push(tell('settings', true, `${String(said)} set, the others at their defaults`, ''))
    return read
  } catch (err) {
    if (!(err instanceof SettingsRefused)) throw err
    findings.push(...err.faults.map((fault) => tell('settings', false, fault, 'see tessera start --help')))
    return null
  }
}

/** Whether a service answers on the folder; the ports are its own then. */
async function checkRunning({ dataFolder }: Config, findings: DoctorFinding[]): Promise<boolean> {
  const reply = await callOperator(dataFolder, { operation: 'operator.status.get', params: {} }).catch((err: unknown) => wordOf(err))
  if (typeof reply === 'string')
    findings.push(tell('service', false, `it cannot be asked (${reply})`, 'run this as the user that the service runs as'))
  else if (reply === null) findings.push(tell('service', true, 'none is running', ''))
  else findings.push(tell('service', reply.ok, 'one is running and answers', 'it does not answer: look into its log'))
  return reply !== null && typeof reply !== 'string'
}

/** A file with a password in it is for the service's user alone. */
function checkConfigFile({ config, origins }: ReadSettings): DoctorFinding[] {
  const hasSecret = settings.some(({ name, secret }) => secret === true && origins[name] === 'file')
  if (config.configFile === null || !hasSecret) return []
  const isPrivate = (statSync(config.configFile).mode & 0o077) === 0
  return [
    tell('config file', isPrivate, modeOf(config.configFile), `it holds a password and others can read it: chmod 600 ${config.configFile}`),
  ]
}

async function checkDatabases({ databaseUrl, keysDatabaseUrl }: Config): Promise<DoctorFinding[]> {
  const urls = [...new Set([databaseUrl, keysDatabaseUrl])].filter((url) => url !== null)
  return Promise.all(urls.map((url) => checkDatabase(url === databaseUrl ? 'database' : 'keys database', url)))
}

/** Connects and looks; changes nothing there. */
async function checkDatabase(check: string, url: string): Promise<DoctorFinding> {
  const { makePrimary } = await import('../../store/postgres/primary.ts')
  const primary = makePrimary({ hosts: readHosts(url), allowUnsafe: false })
  try {
    await (await primary.connect(() => undefined)).end()
    return tell(check, true, `a primary answers, durability ${primary.durability}`, '')
  } catch (err) {
    return tell(check, false, err instanceof Error ? err.message : 'it does not answer', 'start it, or look at its URL')
  }
}

function checkFolder(folder: string): DoctorFinding[] {
  if (!existsSync(folder)) {
    return [
      tell(
        'data folder',
        isWritable(nearestFolder(folder)),
        `${shownFolder(folder)} is not there yet`,
        `its parent cannot be written by this user`,
      ),
    ]
  }
  const names = namesIn(folder)
  if (typeof names === 'string') {
    const advice = names === 'ENOTDIR' ? 'it is no folder' : 'run this as the user that the service runs as'
    return [tell('data folder', false, `${shownFolder(folder)} (${names})`, advice)]
  }
  const open = names.filter((name) => ((statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
  return [
    tell('data folder', isWritable(folder), shownFolder(folder), 'this user cannot write it'),
    tell('folder mode', (statSync(folder).mode & 0o077) === 0, modeOf(folder), `others can look into it: chmod 700 ${shownFolder(folder)}`),
    tell('file modes', open.length === 0, open.length === 0 ? 'all private' : open.join(', '), 'others can open these: chmod 600 them'),
  ]
}

/** What lies in a folder that is there, or the system's word why nobody may look. */
function namesIn(folder: string): string[] | string {
  try {
    return readdirSync(folder)
  } catch (err) {
    return wordOf(err)
  }
}

function checkDisk(folder: string): DoctorFinding {
  const { bavail, bsize } = statfsSync(nearestFolder(folder))
  const freeMegabytes = Math.floor((bavail * bsize) / 2 ** 20)
  return tell(
    'disk',
    freeMegabytes >= FREE_MEGABYTES_MIN,
    `${String(freeMegabytes)} MB free`,
    `less than ${String(FREE_MEGABYTES_MIN)} MB: writes will soon be refused`,
  )
}

/** A clock behind what is already written would make old codes young and new ones old. */
function checkClock(folder: string): DoctorFinding {
  const names = namesIn(folder)
  const paths = typeof names === 'string' ? [] : [folder, ...names.map((name) => join(folder, name))]
  const newest = Math.max(0, ...paths.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0))
  const now = makeSystemClock().now()
  const behindSeconds = Math.round((newest - now) / 1000)
  return tell(
    'clock',
    behindSeconds < CLOCK_SECONDS_MAX,
    new Date(now).toISOString(),
    `${String(behindSeconds)} s behind the newest file of the data folder: set it, and keep it by NTP`,
  )
}

function checkCoreDumps(): DoctorFinding {
  const found = readCoreDumps()
  return tell('core dumps', true, found === 'on' ? 'on here; the service switches its own off' : found, '')
}

async function checkPort(setting: string, host: string, port: number): Promise<DoctorFinding> {
  const refusal = port === 0 ? null : await tryPort(host, port)
  return tell(
    setting,
    refusal === null,
    `${host}:${String(port)}${refusal === null ? ' is free' : ` (${refusal})`}`,
    'take another one, or stop the program that has it',
  )
}

/** Why a port cannot be listened on, in the system's word (`EADDRINUSE`, `EACCES`), or null when it can. */
function tryPort(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (err: NodeJS.ErrnoException) => resolve(err.code ?? 'unknown'))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(null)))
  })
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

function wordOf(err: unknown): string {
  return (err as NodeJS.ErrnoException).code ?? 'unknown'
}

function tell(check: string, ok: boolean, found: string, advice: string): DoctorFinding {
  return { check, ok, found, advice: ok ? '' : advice }
}

const NODE_MAJOR_MIN = 24
const FREE_MEGABYTES_MIN = 200
const CLOCK_SECONDS_MAX = 5
