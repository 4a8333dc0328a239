#!/usr/bin/env node
// `tessera …` of the package @tessera/server. On Node 24 it runs in this process; on an older one it hands the command line to the Node 24 that npm
// installed as an optional dependency. Plain JavaScript for any Node from 20 on.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const nodeMajorMin = 24

if (Number(process.versions.node.split('.')[0]) >= nodeMajorMin) await import('../service/src/main.js')
else runOnPinnedNode()

function runOnPinnedNode() {
  const node = findPinnedNode()
  if (node === null)
    stop(
      `this is Node ${process.version}, and Node ${nodeMajorMin} or newer is needed. Install it, or the package again with its optional dependencies.`,
    )
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: 'inherit' })
  // The terminal sends Ctrl-C to both; what is sent to this process alone is handed on.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.on('SIGINT', () => {})
  child.on('error', (err) => stop(`${node} does not run (${err.code ?? err.message}).`))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}

function findPinnedNode() {
  const isWindows = process.platform === 'win32'
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${isWindows ? 'win' : process.platform}-${process.arch}/package.json`)
    const node = join(dirname(manifest), 'bin', isWindows ? 'node.exe' : 'node')
    return existsSync(node) ? node : null
  } catch {
    return null
  }
}

function stop(text) {
  process.stderr.write(`tessera: ${text}\n`)
  process.exit(70)
}
