import { accessSync, constants, existsSync, readdirSync, statfsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'

import { InvalidSettingsError } from '../config/sources.ts'
import { settings } from '../config/config.ts'
import type { Config, ReadSettings } from '../config/config.ts'
import { makeSystemClock } from '../../system-clock.ts'

import { callOperator, displayPath } from './control-client.ts'
import { printTable, type Command, type CommandInput } from './command.ts'
import { readCoreDumps } from '../core-dumps.ts'

/** The result of one check. */
export interface DoctorFinding {
  readonly check: string
  readonly ok: boolean
  readonly found: string
  /** What to do; '' when nothing has to be fixed. */
  readonly advice: string
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Checks Node, the settings, the data folder, ports, disk and clock, and says what to fix.',
  details: 'Changes nothing. Exit code 1 when something has to be fixed.',
  async run(input) {
    const findings = await examine(input)
    const rows = findings.map(({ check, ok, found, advice }) => [ok ? 'ok' : 'FIX', check, advice === '' ? found : `${found}: ${advice}`])
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
  const running = await checkRunning(config, findings)
  findings.push(...checkConfigFile(read), ...(await checkDatabases(config)))
  findings.push(...checkFolder(config.dataFolder), checkDisk(config.dataFolder), checkClock(config.dataFolder), checkCoreDumps())
  if (!running)
    findings.push(await checkPort('port', config.host, config.port), await checkPort('adminPort', '127.0.0.1', config.adminPort))
  return findings
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

/** Whether a service runs on the folder; then the ports are in use by it. */
async function checkRunning({ dataFolder }: Config, findings: DoctorFinding[]): Promise<boolean> {
  const reply = await callOperator(dataFolder, 'operator.status.get', {}).catch((err: unknown) => errorCodeOf(err))
  if (typeof reply === 'string')
    findings.push(finding('service', false, `it cannot be reached (${reply})`, 'run this as the user that the service runs as'))
  else if (reply === null) findings.push(finding('service', true, 'none is running', ''))
  else findings.push(finding('service', 'result' in reply, 'running and responding', 'it does not respond: see its log'))
  return reply !== null && typeof reply !== 'string'
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

async function checkDatabases({ databaseUrl, keysDatabaseUrl }: Config): Promise<DoctorFinding[]> {
  const urls = [...new Set([databaseUrl, keysDatabaseUrl])].filter((url) => url !== null)
  return Promise.all(urls.map((url) => checkDatabase(url === databaseUrl ? 'database' : 'keys database', url)))
}

/** Connects to the database and changes nothing there. */
async function checkDatabase(check: string, url: string): Promise<DoctorFinding> {
  const { makePrimary, readHosts } = await import('../../store/postgres/primary.ts')
  const primary = makePrimary({ hosts: readHosts(url), allowUnsafe: false })
  try {
    await (await primary.connect(() => undefined)).end()
    return finding(check, true, `connected to a primary, durability ${primary.durability}`, '')
  } catch (err) {
    return finding(check, false, err instanceof Error ? err.message : 'it does not respond', 'start it, or check its URL')
  }
}

function checkFolder(folder: string): DoctorFinding[] {
  if (!existsSync(folder)) {
    return [
      finding(
        'data folder',
        isWritable(nearestFolder(folder)),
        `${displayPath(folder)} does not exist yet`,
        `this user cannot write its parent`,
      ),
    ]
  }
  const names = listNames(folder)
  if (typeof names === 'string') {
    const advice = names === 'ENOTDIR' ? 'it is not a folder' : 'run this as the user that the service runs as'
    return [finding('data folder', false, `${displayPath(folder)} (${names})`, advice)]
  }
  const open = names.filter((name) => ((statSync(join(folder, name), { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0)
  return [
    finding('data folder', isWritable(folder), displayPath(folder), 'this user cannot write it'),
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

async function checkPort(setting: string, host: string, port: number): Promise<DoctorFinding> {
  const refusal = port === 0 ? null : await tryPort(host, port)
  return finding(
    setting,
    refusal === null,
    `${host}:${String(port)}${refusal === null ? ' is free' : ` (${refusal})`}`,
    'choose another one, or stop the program that uses it',
  )
}

/** The error code when a port cannot be listened on (`EADDRINUSE`, `EACCES`); null when it can. */
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

function errorCodeOf(err: unknown): string {
  return (err as NodeJS.ErrnoException).code ?? 'unknown'
}

function finding(check: string, ok: boolean, found: string, advice: string): DoctorFinding {
  return { check, ok, found, advice: ok ? '' : advice }
}

const NODE_MAJOR_MIN = 24
const FREE_MEGABYTES_MIN = 200
const CLOCK_SECONDS_MAX = 5
