// `npm run build`: the hosted form and the SDK into browser/dist, the dashboard into dashboard/dist, with the pages of docs/.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isTest } from './checks/kinds.ts'
import { readCommandLine } from './command-line.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'browser', 'dist')
const dashboard = join(root, 'dashboard', 'dist')
const stampFile = join(dist, '.sources')
const usage = `npm run build -- [--if-changed]

The hosted form and the SDK into browser/dist, the dashboard into dashboard/dist, with the pages of docs/.

  --if-changed   does nothing while the sources are unchanged`
const { values } = readCommandLine({ 'if-changed': { type: 'boolean', default: false } }, usage)
const sources = digestSources()

if (!values['if-changed'] || !existsSync(dashboard) || !existsSync(stampFile) || readFileSync(stampFile, 'utf8') !== sources) {
  // Loaded only when needed, to keep the second start fast.
  const { buildBrowser } = await import('./browser/build.ts')
  const { files } = await buildBrowser(root, dist)
  const { buildDashboard } = await import('./browser/build-dashboard.ts')
  const built = await buildDashboard(root, dashboard)
  const { buildDocs } = await import('./browser/build-docs.ts')
  const docs = buildDocs(root, join(dashboard, 'docs'))
  writeFileSync(stampFile, sources)
  process.stdout.write(`docs         ${docs.bytes} bytes in ${docs.files} files\n`)
  for (const [name, bytes] of Object.entries(built)) process.stdout.write(`dashboard/${name} ${bytes} bytes\n`)
  for (const [name, { bytes, gzipBytes }] of Object.entries(files)) {
    process.stdout.write(`${name.padEnd(12)} ${bytes} bytes, ${gzipBytes} gzipped\n`)
  }
}

/** The hash of all sources of the bundles; the lockfile represents the packages. */
function digestSources(): string {
  const hash = createHash('sha256')
  for (const folder of ['browser', 'dashboard', 'contract/src', 'client', 'tools/browser', 'tools/client', 'docs']) {
    const names = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(tsx?|css|json|md)$/.test(name),
    )
    for (const name of names.filter((path) => !/^(dist|node_modules)\b/.test(path) && !isTest(path)).sort()) {
      hash
        .update(name)
        .update('\0')
        .update(readFileSync(join(root, folder, name)))
        .update('\0')
    }
  }
  return hash.update(readFileSync(join(root, 'package-lock.json'))).digest('hex')
}
