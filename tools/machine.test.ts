import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensurePrograms, type Machine, type Program } from './machine.ts'

/** A machine that records the commands it gets, and a program that exists once its package is installed. */
function makeMachine(rights: Machine['rights'], { isDebian = true, installs = true } = {}) {
  const commands: string[] = []
  const run = (file: string, args: string[]): boolean => commands.push([file, ...args].join(' ')) > 0
  const isThere = (name: string): boolean =>
    installs && commands.some((command) => command.includes('apt-get') && command.endsWith(` ${name}`))
  const program: Program = { name: 'Chromium', debianPackage: 'chromium', find: () => (isThere('chromium') ? '/usr/bin/chromium' : null) }
  const present: Program = { name: 'openssl', debianPackage: 'openssl', find: () => '/usr/bin/openssl' }
  const machine: Machine = { isDebian, rights, run, say: () => undefined }
  return { machine, commands, wanted: [present, program] }
}

test('as root on Debian only what is missing is installed, without starting a database', () => {
  const { machine, commands, wanted } = makeMachine('root')
  assert.equal(ensurePrograms(wanted, machine), null)
  const installs = commands.filter((command) => command.includes(' install '))
  assert.equal(installs.length, 1)
  assert.match(installs[0] ?? '', /^env DEBIAN_FRONTEND=noninteractive apt-get .* install -y --no-install-recommends chromium$/)
  assert.match(commands[0] ?? '', /create_main_cluster = false/)
  assert.match(commands.at(-1) ?? '', /rm -f \/etc\/postgresql-common\/createcluster\.d\/tessera-tests\.conf/)
})

test('with a sudo that needs no password every command uses it', () => {
  const { machine, commands, wanted } = makeMachine('sudo')
  assert.equal(ensurePrograms(wanted, machine), null)
  assert.ok(commands.every((command) => command.startsWith('sudo -n env ')))
})

test('without the right to install, or outside Debian, the message says what to install', () => {
  const debian = makeMachine('none')
  assert.match(ensurePrograms(debian.wanted, debian.machine) ?? '', /need Chromium\. Install: sudo apt-get update && .* chromium$/)
  assert.deepEqual(debian.commands, [])
  const other = makeMachine('root', { isDebian: false })
  assert.match(ensurePrograms(other.wanted, other.machine) ?? '', /need Chromium\. Install with the package manager of this system/)
})

test('an installation that does not provide the program is reported', () => {
  const { machine, wanted } = makeMachine('root', { installs: false })
  assert.match(ensurePrograms(wanted, machine) ?? '', /need Chromium/)
})

test('nothing is run on a machine that has everything', () => {
  const { machine, commands, wanted } = makeMachine('root')
  assert.equal(ensurePrograms(wanted.slice(0, 1), machine), null)
  assert.deepEqual(commands, [])
})

test('a program that only makes tests faster is installed where that is possible, and not required elsewhere', () => {
  const shell: Program = { name: 'the shell', debianPackage: 'chromium-headless-shell', find: () => null, isOptional: true }
  const root = makeMachine('root')
  assert.equal(ensurePrograms([shell], root.machine), null)
  assert.match(root.commands.find((command) => command.includes(' install ')) ?? '', / chromium-headless-shell$/)
  const none = makeMachine('none')
  assert.equal(ensurePrograms([shell], none.machine), null)
  assert.deepEqual(none.commands, [])
})
