import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'

// A project of three files, and an npm that only creates the folders that the real one would create.

const pinnedPackage = `node-linux-${process.arch}`
const running = new Set<ChildProcess>()
const folders: string[] = []

afterEach(() => {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

test('a fresh clone is installed once, and the second run installs nothing', async () => {
  const project = makeProject()
  const first = await bootstrap(project)
  assert.equal(first.code, 0, first.text)
  assert.match(first.text, /^Installing dependencies .* done in [\d.]+ s\.\n$/)
  const second = await bootstrap(project)
  assert.deepEqual([second.code, second.text], [0, ''])
  assert.equal(project.npmRuns().length, 1)
  assert.equal(realpathSync(join(project.root, 'node_modules/.bin/node')), realpathSync(process.execPath))
})

test('a changed lockfile is installed again', async () => {
  const project = makeProject()
  await bootstrap(project)
  writeFileSync(join(project.root, 'package-lock.json'), lockfile('1.0.1'))
  assert.equal((await bootstrap(project)).code, 0)
  assert.equal(project.npmRuns().length, 2)
})

test('tests install the development packages even after a start without them', async () => {
  const project = makeProject()
  await bootstrap(project, { STUB_OMITS: 'dev' })
  assert.equal((await bootstrap(project, {}, ['--dev'])).code, 0)
  const runs = project.npmRuns()
  assert.equal(runs.length, 2)
  assert.ok(runs.every((run) => run.includes('--include=optional')))
  assert.ok(!runs[0]?.includes('--include=dev') && runs[1]?.includes('--include=dev'))
})

test('an installation made by npm itself is accepted', async () => {
  const project = makeProject()
  await bootstrap(project)
  rmSync(join(project.root, 'node_modules/.tessera-stamp.json'))
  assert.equal((await bootstrap(project)).text, '')
  assert.equal(project.npmRuns().length, 1)
})

test('a failed npm ci is shown and leaves nothing that the next run would accept', async () => {
  const project = makeProject()
  const failed = await bootstrap(project, { STUB_FAILS: '1' })
  assert.equal(failed.code, 1)
  assert.match(failed.text, /the stub could not reach its registry/)
  assert.match(failed.text, /npm ci failed \(exit code 7\)/)
  assert.equal((await bootstrap(project)).code, 0)
  assert.equal(project.npmRuns().length, 2)
})

test('an optional package that npm silently left out is named', async () => {
  const project = makeProject()
  const left = await bootstrap(project, { STUB_OMITS: 'optional' })
  assert.equal(left.code, 1)
  assert.match(left.text, new RegExp(`left out the optional package ${pinnedPackage}@`))
  assert.match(left.text, /TESSERA_NODE=system npm start/)
})

test('a Node of another version than the pinned one is refused', async () => {
  const project = makeProject({ pinned: '24.0.1' })
  const refused = await bootstrap(project)
  assert.equal(refused.code, 1)
  assert.match(refused.text, new RegExp(`reports ${process.version}, and v24\\.0\\.1 is pinned`))
})

test('a link to another Node is reset to the pinned one', async () => {
  const project = makeProject()
  await bootstrap(project)
  const link = join(project.root, 'node_modules/.bin/node')
  rmSync(link)
  symlinkSync('/bin/false', link)
  assert.equal((await bootstrap(project)).code, 0)
  assert.equal(readlinkSync(link), join('..', pinnedPackage, 'bin', 'node'))
})

test('a system Node is used only by explicit choice, and must be new enough', async () => {
  const project = makeProject()
  const old = fakeNode(project, 'old', 'v20.11.0')
  const refused = await bootstrap(project, { TESSERA_NODE: 'system', PATH: `${old}:${process.env.PATH ?? ''}` })
  assert.equal(refused.code, 1)
  assert.match(refused.text, /is v20\.11\.0; Node 24 or newer is needed/)
  const fresh = fakeNode(project, 'new', 'v26.1.0')
  assert.equal((await bootstrap(project, { TESSERA_NODE: 'system', PATH: `${fresh}:${process.env.PATH ?? ''}` })).code, 0)
  assert.equal(realpathSync(join(project.root, 'node_modules/.bin/node')), join(fresh, 'node'))
})

test('two bootstraps at once install once', async () => {
  const project = makeProject()
  const results = await Promise.all([1, 2, 3].map(() => bootstrap(project, { STUB_SECONDS: '0.4' })))
  assert.deepEqual(
    results.map((result) => result.code),
    [0, 0, 0],
  )
  assert.equal(project.npmRuns().length, 1)
  assert.ok(!existsSync(join(project.root, '.bootstrap-lock')))
})

test('the lock of a killed bootstrap is taken over', async () => {
  const project = makeProject()
  const killed = spawn(process.execPath, [join(project.root, 'tools/bootstrap.mjs')], {
    env: project.env({ STUB_SECONDS: '60' }),
    stdio: 'ignore',
  })
  running.add(killed)
  while (project.npmRuns().length === 0) await pause(10)
  const npm = Number(project.npmRuns()[0]?.split(' ')[0])
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  process.kill(npm, 'SIGKILL')
  assert.ok(existsSync(join(project.root, '.bootstrap-lock/owner.json')))
  assert.equal((await bootstrap(project)).code, 0)
})

// What the stub logs, and npmRuns reads: its process id, then its arguments.
const stubNpm = `
const fs = require('node:fs'), path = require('node:path')
fs.appendFileSync('npm-runs.log', [process.pid, ...process.argv.slice(2)].join(' ') + '\\n')
if (process.env.STUB_FAILS) { console.error('the stub could not reach its registry'); process.exit(7) }
const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'))
const omits = process.env.STUB_OMITS ?? ''
fs.rmSync('node_modules', { recursive: true, force: true })
setTimeout(() => {
  const installed = {}
  for (const [name, entry] of Object.entries(packages)) {
    if (name === '' || (entry.dev && omits === 'dev') || (entry.optional && omits === 'optional')) continue
    fs.mkdirSync(path.join(name, 'bin'), { recursive: true })
    if (entry.optional) fs.symlinkSync(process.env.STUB_NODE, path.join(name, 'bin/node'))
    installed[name] = entry
  }
  fs.mkdirSync('node_modules', { recursive: true })
  fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages: installed }))
}, 1000 * Number(process.env.STUB_SECONDS ?? 0))
`

type House = { root: string; env: (more: NodeJS.ProcessEnv) => NodeJS.ProcessEnv; npmRuns: () => string[] }

function makeProject({ pinned = process.version.slice(1) } = {}): House {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'bootstrap-'))
  folders.push(root)
  mkdirSync(join(root, 'tools'))
  copyFileSync(new URL('bootstrap.mjs', import.meta.url), join(root, 'tools/bootstrap.mjs'))
  writeFileSync(join(root, 'package.json'), JSON.stringify({ optionalDependencies: { [pinnedPackage]: pinned } }))
  writeFileSync(join(root, 'package-lock.json'), lockfile('1.0.0'))
  mkdirSync(join(root, 'npm'))
  writeFileSync(join(root, 'npm/npm-cli.js'), stubNpm)
  const stub = {
    npm_execpath: join(root, 'npm/npm-cli.js'),
    npm_node_execpath: process.execPath,
    STUB_NODE: realpathSync(process.execPath),
  }
  const log = join(root, 'npm-runs.log')
  return {
    root,
    env: (more) => ({ PATH: process.env.PATH, ...stub, ...more }),
    npmRuns: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []),
  }
}

function lockfile(version: string): string {
  const packages = {
    '': { version },
    'node_modules/left': { version, integrity: 'sha512-left' },
    'node_modules/checker': { version, integrity: 'sha512-checker', dev: true },
    [`node_modules/${pinnedPackage}`]: { version, integrity: 'sha512-node', optional: true },
  }
  return JSON.stringify({ lockfileVersion: 3, packages })
}

function fakeNode(project: House, name: string, version: string): string {
  const folder = join(project.root, name)
  mkdirSync(folder)
  writeFileSync(join(folder, 'node'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 })
  return folder
}

async function bootstrap(project: House, env: NodeJS.ProcessEnv = {}, args: string[] = []): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, [join(project.root, 'tools/bootstrap.mjs'), ...args], { env: project.env(env) })
  running.add(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  await once(child, 'close')
  running.delete(child)
  return { code: child.exitCode, text }
}
