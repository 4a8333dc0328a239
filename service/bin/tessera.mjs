#!/usr/bin/env node
// `tessera …` from any Node 20 or newer: finds the Node that the project runs on and hands the command line to it, signals included.
import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const service = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))))
const entry = join(service, 'src', 'cli', 'tessera.ts')

const node = findNode()
if (node === null) stop('The Node 24 that comes with Tessera is not installed: run "npm run tessera -- version" once in its folder, or use a Node 24 or newer.')
const child = spawn(node, [entry, ...process.argv.slice(2)], { stdio: 'inherit' })
// The terminal sends Ctrl-C to both of us; what is sent to this process alone is handed on.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR1']) process.on(signal, () => signal !== 'SIGINT' && child.kill(signal))
child.on('error', (err) => stop(`${node} does not run (${err.code ?? err.message}).`))
child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))

/** This one if it is new enough, else the one that npm put beside the dependencies. */
function findNode() {
  const linked = upwards(service).map((folder) => join(folder, 'node_modules', '.bin', process.platform === 'win32' ? 'node.exe' : 'node')).find(existsSync)
  if (linked !== undefined) return linked
  return Number(process.versions.node.split('.')[0]) >= 24 ? process.execPath : null
}

function upwards(folder) {
  const above = dirname(folder)
  return above === folder ? [folder] : [folder, ...upwards(above)]
}

function stop(text) {
  process.stderr.write(`tessera: ${text}\n`)
  process.exit(70)
}
