import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild-wasm'
import { root } from '../fault/spawn.ts'
import { dashboardBuild } from '../tools/browser/build-dashboard.ts'
import type { Measure, Measurement } from './measurement.ts'

/** The size of each bundle, the parts of the dashboard's, and the smallest programs in Preact and in React for comparison. */
export const sizes: Measurement = {
  name: 'sizes',
  question: 'How much script does each bundle have, gzipped, and how much of it is the rendering library?',
  async run() {
    return [
      ...built.map(({ path, most }) => figureOf(path, gzipped(readFileSync(join(root, path))), most)),
      ...(await partsOfDashboard()),
      figureOf('Preact and signals, smallest program', await sizeOf(preactProgram, 'preact')),
      figureOf('React 19 and react-dom, smallest program', await sizeOf(reactProgram, 'react')),
    ]
  },
}

const built = [
  { path: 'dashboard/dist/app.js', most: 60 },
  { path: 'dashboard/dist/app.css' },
  { path: 'browser/dist/frame.js', most: 10 },
  { path: 'browser/dist/frame-deferred.js', most: 16 },
  { path: 'browser/dist/tessera.js', most: 3.5 },
  { path: 'browser/dist/tessera.mjs', most: 3.5 },
  { path: 'browser/dist/react.mjs' },
]

const preactProgram = `
  import { render, h } from 'preact'
  import { useEffect } from 'preact/hooks'
  import { useSignal } from '@preact/signals'
  function App() { const n = useSignal(0); useEffect(() => { n.value = 1 }, []); return h('p', null, n) }
  render(h(App), document.body)`

const reactProgram = `
  import { createElement, useEffect, useState } from 'react'
  import { createRoot } from 'react-dom/client'
  function App() { const [n, set] = useState(0); useEffect(() => set(1), []); return createElement('p', null, n) }
  createRoot(document.body).render(createElement(App))`

/** Built like the dashboard. */
async function sizeOf(contents: string, name: string): Promise<number> {
  const { entryPoints: _ours, entryNames: _name, ...as } = dashboardBuild(root)
  const define = { 'process.env.NODE_ENV': '"production"' }
  const made = await build({ ...as, define, stdin: { contents, resolveDir: join(root, 'dashboard'), sourcefile: `${name}.js` } })
  return gzipped(made.outputFiles[0]?.contents ?? new Uint8Array(0))
}

/** Minified bytes by origin; compressed bytes cannot be attributed. */
async function partsOfDashboard(): Promise<Measure[]> {
  const made = await build({ ...dashboardBuild(root), metafile: true })
  const scripts = Object.entries(made.metafile.outputs).filter(([name]) => name.endsWith('.js'))
  const sums = new Map<string, number>()
  for (const [path, { bytesInOutput }] of scripts.flatMap(([, { inputs }]) => Object.entries(inputs))) {
    const [, part = 'others'] = /(preact|contract|app|parts|pages|words)\b/.exec(path) ?? []
    sums.set(part, (sums.get(part) ?? 0) + bytesInOutput)
  }
  return [...sums].map(([part, bytes]) => ({ of: 'dashboard', name: `${part}, minified`, value: bytes / 1024, unit: 'KiB' }))
}

function gzipped(bytes: Uint8Array): number {
  return gzipSync(bytes, { level: 9 }).length / 1024
}

function figureOf(name: string, value: number, most?: number): Measure {
  return { of: 'sizes', name, value, unit: 'KiB gzipped', ...(most === undefined ? {} : { target: { most } }) }
}
