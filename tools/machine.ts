import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { findChromium } from './chromium.ts'
import { findOnPath } from './find-program.ts'
import { findFirefox, findWebKitBrowser, findWebKitDriver, findXvfb } from './other-browsers.ts'
import { findPostgresFolder } from './postgres.ts'

/** A program of the machine that tests use, and the Debian package that brings it. */
export type Program = { name: string; debianPackage: string; find: () => string | null }

/** Everything that `npm test` wants of the machine besides Node. */
export const programs: readonly Program[] = [
  { name: 'PostgreSQL server (initdb, postgres)', debianPackage: 'postgresql', find: findPostgresFolder },
  { name: 'Chromium', debianPackage: 'chromium', find: findChromium },
  { name: 'Firefox', debianPackage: 'firefox-esr', find: findFirefox },
  { name: 'WebKitGTK with its driver', debianPackage: 'webkit2gtk-driver', find: () => findWebKitBrowser() && findWebKitDriver() },
  { name: 'Xvfb', debianPackage: 'xvfb', find: findXvfb },
  { name: 'openssl', debianPackage: 'openssl', find: () => findOnPath('openssl') },
  { name: 'faketime', debianPackage: 'faketime', find: () => findOnPath('faketime') },
  { name: 'strace', debianPackage: 'strace', find: () => findOnPath('strace') },
]

/** How a command is run and whether this user may install; handed in so that a test can stand in for the machine. */
export type Machine = {
  isDebian: boolean
  rights: 'root' | 'sudo' | 'none'
  run: (file: string, args: string[]) => boolean
  say: (text: string) => void
}

/**
 * Installs what is missing where that is possible (Debian and its kin, as root or with a sudo that asks no password).
 * Returns the sentence that says what to install by hand, or null when nothing is missing.
 */
export function ensurePrograms(wanted: readonly Program[], machine: Machine): string | null {
  const missing = wanted.filter((program) => program.find() === null)
  if (missing.length > 0 && machine.isDebian && machine.rights !== 'none') installPackages(listPackages(missing), machine)
  const left = missing.filter((program) => program.find() === null)
  if (left.length === 0) return null
  const command = `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${listPackages(left).join(' ')}`
  const advice = machine.isDebian ? `Install: ${command}` : 'Install with the package manager of this system, so that they are on PATH.'
  return `The tests need ${left.map((program) => program.name).join(', ')}. ${advice}`
}

/** Debian starts a database of its own when PostgreSQL is installed, which nobody asked for: this file says not to, meanwhile. */
const noClusterFile = '/etc/postgresql-common/createcluster.d/tessera-tests.conf'

function installPackages(packages: string[], machine: Machine): void {
  machine.say(`Installing ${packages.join(', ')} for the tests …\n`)
  const asRoot = (...command: string[]): boolean =>
    machine.rights === 'root' ? machine.run('env', command) : machine.run('sudo', ['-n', 'env', ...command])
  const aptGet = ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', '-o', 'DPkg::Lock::Timeout=300']
  const isOurs = !existsSync(noClusterFile)
  if (isOurs) asRoot('sh', '-c', `mkdir -p ${dirname(noClusterFile)} && echo "create_main_cluster = false" > ${noClusterFile}`)
  asRoot(...aptGet, 'update')
  asRoot(...aptGet, 'install', '-y', '--no-install-recommends', ...packages)
  if (isOurs) asRoot('rm', '-f', noClusterFile)
}

function listPackages(wanted: readonly Program[]): string[] {
  return wanted.map((program) => program.debianPackage)
}

/** The machine as it is. */
export function realMachine(say: (text: string) => void): Machine {
  const isRoot = process.getuid?.() === 0
  const hasSudo = !isRoot && findOnPath('sudo') !== null && spawnSync('sudo', ['-n', 'true'], { stdio: 'ignore' }).status === 0
  return {
    isDebian: findOnPath('apt-get') !== null,
    rights: isRoot ? 'root' : hasSudo ? 'sudo' : 'none',
    run: (file, args) => spawnSync(file, args, { stdio: ['ignore', 'inherit', 'inherit'], timeout: 900_000 }).status === 0,
    say,
  }
}
