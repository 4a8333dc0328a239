import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { findChromium, findHeadlessShell } from './chromium.ts'
import { findOnPath, isProgram } from './find-program.ts'
import { findFirefox, findWebKitBrowser, findWebKitDriver, findXvfb } from './other-browsers.ts'
import { findPostgresFolder } from './postgres.ts'
import type { TestNeed } from './test-needs.ts'

/** A program of the machine that tests use, and the Debian package that brings it. Without one that is optional they are only slower. */
export type Program = { name: string; debianPackage: string; find: () => string | null; isOptional?: boolean }

const headlessShell: Program = {
  name: "Chromium's headless shell",
  debianPackage: 'chromium-headless-shell',
  find: findHeadlessShell,
  isOptional: true,
}
const xvfb: Program = { name: 'Xvfb', debianPackage: 'xvfb', find: findXvfb }

// prettier-ignore
const programs: Readonly<Record<Exclude<TestNeed, 'build'>, readonly Program[]>> = {
  postgres: [{ name: 'PostgreSQL server (initdb, postgres)', debianPackage: 'postgresql', find: findPostgresFolder }],
  chromium: [{ name: 'Chromium', debianPackage: 'chromium', find: findChromium }, headlessShell],
  firefox:  [{ name: 'Firefox', debianPackage: 'firefox-esr', find: findFirefox }],
  webkit:   [{ name: 'WebKitGTK with its driver', debianPackage: 'webkit2gtk-driver', find: () => findWebKitBrowser() && findWebKitDriver() }, xvfb],
  openssl:  [{ name: 'openssl', debianPackage: 'openssl', find: () => findOnPath('openssl') }],
  faketime: [{ name: 'faketime', debianPackage: 'faketime', find: () => findOnPath('faketime') }],
  softhsm:  [{ name: 'SoftHSM2', debianPackage: 'softhsm2', find: () => findOnPath('softhsm2-util') }],
  nginx:    [{ name: 'nginx', debianPackage: 'nginx-light', find: () => findOnPath('nginx') }],
  caddy:    [{ name: 'Caddy', debianPackage: 'caddy', find: () => findOnPath('caddy') }],
  haproxy:  [{ name: 'HAProxy', debianPackage: 'haproxy', find: () => findOnPath('haproxy') }],
  kannel:   [
    { name: 'Kannel', debianPackage: 'kannel', find: () => findOnPath('bearerbox') },
    { name: "Kannel's test programs", debianPackage: 'kannel-extras', find: () => ['/usr/lib/kannel/test/fakesmsc'].find(isProgram) ?? null },
  ],
  prometheus: [{ name: 'Prometheus with promtool', debianPackage: 'prometheus', find: () => findOnPath('prometheus') && findOnPath('promtool') }],
  containers: [
    { name: 'buildah', debianPackage: 'buildah', find: () => findOnPath('buildah') },
    { name: 'podman', debianPackage: 'podman', find: () => findOnPath('podman') },
    { name: 'runc', debianPackage: 'runc', find: () => findOnPath('runc') },
    { name: 'catatonit', debianPackage: 'catatonit', find: () => findOnPath('catatonit') },
  ],
  age:      [{ name: 'age', debianPackage: 'age', find: () => findOnPath('age') && findOnPath('age-keygen') }],
  patroni:  [
    { name: 'PostgreSQL server (initdb, postgres)', debianPackage: 'postgresql', find: findPostgresFolder },
    { name: 'Patroni', debianPackage: 'patroni', find: () => findOnPath('patroni') },
    { name: 'etcd', debianPackage: 'etcd-server', find: () => findOnPath('etcd') },
    { name: 'the client of etcd for Patroni', debianPackage: 'python3-etcd', find: () => ['/usr/lib/python3/dist-packages/etcd/__init__.py'].find(existsSync) ?? null },
  ],
  pgbouncer: [{ name: 'PgBouncer', debianPackage: 'pgbouncer', find: () => findOnPath('pgbouncer') }],
  pgbackrest: [{ name: 'pgBackRest', debianPackage: 'pgbackrest', find: () => findOnPath('pgbackrest') }],
  yaml:     [{ name: 'PyYAML', debianPackage: 'python3-yaml', find: () => ['/usr/lib/python3/dist-packages/yaml/__init__.py'].find(existsSync) ?? null }],
  systemd:  [{ name: "systemd's tools", debianPackage: 'systemd', find: () => findOnPath('systemd-analyze') }],
  strace:   [{ name: 'strace', debianPackage: 'strace', find: () => findOnPath('strace') }],
}

/** The programs behind what tests need. */
export function programsByNeed(needs: readonly TestNeed[]): Program[] {
  return needs.flatMap((need) => (need === 'build' ? [] : programs[need]))
}

/** How commands are run and whether this user may install. Passed in, so that a test can replace the machine. */
export type Machine = {
  isDebian: boolean
  rights: 'root' | 'sudo' | 'none'
  run: (file: string, args: string[]) => boolean
  say: (text: string) => void
}

/**
 * Installs what is missing where that is possible (Debian and its derivatives, as root or with a sudo that needs no password).
 * Returns what to install by hand, or null when nothing is missing that is needed.
 */
export function ensurePrograms(wanted: readonly Program[], machine: Machine): string | null {
  const missing = wanted.filter((program) => program.find() === null)
  if (missing.length > 0 && machine.isDebian && machine.rights !== 'none') installPackages(listPackages(missing), machine)
  const left = missing.filter((program) => program.isOptional !== true && program.find() === null)
  if (left.length === 0) return null
  const command = `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${listPackages(left).join(' ')}`
  const advice = machine.isDebian ? `Install: ${command}` : 'Install with the package manager of this system, so that they are on PATH.'
  return `The tests need ${left.map((program) => program.name).join(', ')}. ${advice}`
}

/** While this file exists, Debian creates no database of its own when PostgreSQL is installed. */
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

/** The real machine. */
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
