// Prepares node_modules before npm's own scripts run: installs when the lockfile changed, then makes sure that the right Node runs the commands.
// Plain JavaScript on purpose: it runs on any Node from 20 on. See docs/decisions/0001-node-runtime.md.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { delimiter, dirname, join, relative, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = realpathSync(dirname(dirname(fileURLToPath(import.meta.url))))
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.tessera-stamp.json')
const nodeLink = join(modules, '.bin', 'node')
const platform = `${process.platform}-${process.arch}`
const pinnedPackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const systemMajorMin = 24
const installSecondsMax = 900

const wantsDev = process.argv.includes('--dev')
const wantsBuild = process.argv.includes('--build')
const isQuiet = process.argv.includes('--quiet')

await main()

async function main() {
  if (Number(process.versions.node.split('.')[0]) < 20) stop(`npm here runs on Node ${process.version}; 20 or newer is needed.`)
  const choice = readChoice(process.env.TESSERA_NODE)
  if (!isInstalled(choice)) await withLock(() => isInstalled(choice) || install(choice))
  if (choice === 'system') useSystemNode()
  else usePinnedNode()
  if (wantsBuild) buildBrowser()
}

function readChoice(text) {
  if (text === undefined || text === '' || text === 'pinned') return 'pinned'
  if (text === 'system') return 'system'
  return stop(`TESSERA_NODE is "${text}"; it may be "pinned" (the default) or "system".`)
}

// Installing.

function isInstalled(choice) {
  const stamp = readJson(stampFile)
  if (stamp === null || stamp.lock !== lockDigest() || stamp.platform !== platform) return false
  return (stamp.dev || !wantsDev) && (choice === 'system' || !isPinnable() || existsSync(pinnedBinary()))
}

function install(choice) {
  if (isCompleteByHand(wantsDev, choice)) return writeStamp(isCompleteByHand(true, choice))
  const startedAt = Date.now()
  say('Installing dependencies (the first run, or package-lock.json changed) … ')
  rmSync(stampFile, { force: true })
  const run = runNpm(npmArguments(choice))
  if (run.status !== 0) {
    say('failed.\n')
    process.stderr.write(`${run.stdout ?? ''}${run.stderr ?? ''}`)
    stop(
      `npm ci failed (${run.error?.message ?? `exit code ${run.status ?? run.signal}`}); its output is above. Nothing is used until it succeeds.`,
    )
  }
  writeStamp(isCompleteByHand(true, choice))
  say(`done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s.\n`)
}

// These flags come last, so a user's omit, production or bin-links setting cannot leave out what is needed.
function npmArguments(choice) {
  const include = [...(choice === 'pinned' ? ['--include=optional'] : []), ...(wantsDev ? ['--include=dev'] : [])]
  const settings = ['--ignore-scripts', '--bin-links=true', '--engine-strict=false', '--no-audit', '--no-fund', '--no-progress']
  return ['ci', '--include=prod', ...include, ...settings]
}

// `npm ci` empties node_modules, so it must not run on the Node in there.
function runNpm(args) {
  const cli = process.env.npm_execpath ?? ''
  const node = [process.env.npm_node_execpath, process.execPath].find((path) => path && !isInside(path, modules))
  const [file, before] = node && cli.endsWith('npm-cli.js') ? [node, [cli]] : ['npm', []]
  const isWindowsScript = process.platform === 'win32' && file === 'npm'
  const path = searchPath().join(delimiter)
  return spawnSync(file, [...before, ...args], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: path },
    shell: isWindowsScript,
    timeout: installSecondsMax * 1000,
    maxBuffer: 64 * 1024 * 1024,
  })
}

// npm writes node_modules/.package-lock.json last: when it contains everything in the lockfile, an `npm ci` run by hand is complete.
function isCompleteByHand(withDev, choice) {
  const installed = readJson(join(modules, '.package-lock.json'))?.packages
  if (!installed || (choice === 'pinned' && isPinnable() && !existsSync(pinnedBinary()))) return false
  return Object.entries(readJson(join(root, 'package-lock.json'))?.packages ?? {})
    .filter(([path, entry]) => path.includes('node_modules/') && !entry.optional && (withDev || !entry.dev))
    .every(([path, entry]) => installed[path]?.version === entry.version && installed[path]?.integrity === entry.integrity)
}

function writeStamp(dev) {
  writeFileSync(stampFile, JSON.stringify({ lock: lockDigest(), platform, dev }))
}

function lockDigest() {
  return createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex')
}

// The Node that runs the commands: npm puts node_modules/.bin first in PATH, so whatever .bin/node points to is what `npm start` runs.

function usePinnedNode() {
  if (!isPinnable()) {
    stop(
      `No pinned Node exists for ${platform}. With a Node ${systemMajorMin} or newer on PATH, choose it yourself: TESSERA_NODE=system npm start`,
    )
  }
  if (!existsSync(pinnedBinary())) {
    stop(
      `npm left out the optional package ${pinnedPackage}@${pinnedVersion()} silently (it does so when the download fails).\n` +
        `Check that your npm registry serves it, then remove node_modules and run again; or, with a Node ${systemMajorMin} or newer on PATH: TESSERA_NODE=system npm start`,
    )
  }
  point(nodeLink, pinnedBinary())
  const version = versionOf(pinnedBinary())
  if (version !== `v${pinnedVersion()}`) {
    stop(
      `node_modules/${pinnedPackage} reports ${version === null ? 'nothing (this machine cannot run it)' : version}, and v${pinnedVersion()} is pinned.\n` +
        `Remove node_modules and run again; on a system without glibc: TESSERA_NODE=system npm start, with a Node ${systemMajorMin} or newer on PATH.`,
    )
  }
}

function useSystemNode() {
  if (process.platform === 'win32') stop('TESSERA_NODE=system is not supported on Windows; the pinned Node is.')
  const binary = searchPath()
    .map((folder) => join(folder, 'node'))
    .find(isExecutable)
  if (binary === undefined) stop('TESSERA_NODE=system, but no node is on PATH.')
  const version = versionOf(binary)
  if (!(Number(/^v(\d+)\./.exec(version ?? '')?.[1]) >= systemMajorMin)) {
    stop(`TESSERA_NODE=system, but ${binary} is ${version ?? 'not runnable'}; Node ${systemMajorMin} or newer is needed.`)
  }
  point(nodeLink, realpathSync(binary))
}

// By the Node that was just linked: the shell that runs npm's script may still resolve the name to another one.
function buildBrowser() {
  const node = process.platform === 'win32' ? pinnedBinary() : nodeLink
  const run = spawnSync(node, [join(root, 'tools', 'build-browser.ts'), '--if-changed'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (run.status !== 0) stop('The card form could not be built; the output is above.')
}

function point(link, target) {
  if (process.platform === 'win32' || realPath(link) === realPath(target)) return
  const fresh = `${link}.${process.pid}`
  mkdirSync(dirname(link), { recursive: true })
  symlinkSync(isInside(target, root) ? relative(dirname(link), target) : target, fresh)
  renameSync(fresh, link)
}

function versionOf(binary) {
  if (realPath(binary) === realPath(process.execPath)) return process.version
  const run = spawnSync(binary, ['--version'], { encoding: 'utf8', timeout: 10_000 })
  return run.status === 0 ? run.stdout.trim() : null
}

function isPinnable() {
  return pinnedVersion() !== undefined
}

function pinnedVersion() {
  return readJson(join(root, 'package.json'))?.optionalDependencies?.[pinnedPackage]
}

function pinnedBinary() {
  return join(modules, pinnedPackage, 'bin', process.platform === 'win32' ? 'node.exe' : 'node')
}

// PATH without the folders that npm put before it.
function searchPath() {
  return (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '' && !folder.includes('node_modules'))
}

// One installation at a time. Creating a folder is atomic everywhere; its owner is written inside, so that the lock of a dead owner can be removed.

async function withLock(work) {
  const lock = join(root, '.bootstrap-lock')
  const giveUpAt = Date.now() + installSecondsMax * 1000
  while (!tryMakeFolder(lock)) {
    if (Date.now() > giveUpAt) stop(`Another installation has held ${lock} for too long. If none is running, remove that folder.`)
    if (isAbandoned(lock)) removeAbandoned(lock)
    else await pause(100)
  }
  try {
    writeFileSync(join(lock, 'owner.json'), JSON.stringify({ pid: process.pid, host: hostname() }))
    process.once('exit', () => rmSync(lock, { recursive: true, force: true }))
    work()
  } finally {
    rmSync(lock, { recursive: true, force: true })
  }
}

// Two waiting processes must not both remove an abandoned lock: the second would remove the new lock of the first.
function removeAbandoned(lock) {
  const breaking = `${lock}-breaking`
  if (!tryMakeFolder(breaking)) {
    if (ageSeconds(breaking) > 30) rmSync(breaking, { recursive: true, force: true })
    return
  }
  if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true })
  rmSync(breaking, { recursive: true, force: true })
}

function isAbandoned(lock) {
  const owner = readJson(join(lock, 'owner.json'))
  if (owner === null) return ageSeconds(lock) > 10
  if (owner.host !== hostname()) return ageSeconds(lock) > installSecondsMax
  try {
    process.kill(owner.pid, 0)
    return false
  } catch (err) {
    return err.code === 'ESRCH'
  }
}

function tryMakeFolder(path) {
  try {
    mkdirSync(path)
    return true
  } catch (err) {
    if (err.code === 'EEXIST') return false
    return stop(`${path} cannot be created (${err.code}). Dependencies are missing or old, and this user may not install them here.`)
  }
}

function ageSeconds(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat === undefined ? 0 : (Date.now() - stat.mtimeMs) / 1000
}

// Helpers.

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return null
  }
}

function realPath(path) {
  return existsSync(path) ? realpathSync(path) : null
}

function isInside(path, folder) {
  return path.startsWith(folder + sep)
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

function say(text) {
  if (!isQuiet) process.stderr.write(text)
}

function stop(text) {
  process.stderr.write(`tessera: ${text}\n`)
  process.exit(1)
}
