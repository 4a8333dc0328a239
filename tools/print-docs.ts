// `npm run docs`: prints the reference pages from the code. `npm run check` compares them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommandLine } from './command-line.ts'
import { printServedTypes, servedTypesPath } from './browser/testing-types.ts'
import { printPages } from './pages/pages.ts'

readCommandLine({}, 'npm run docs\n\nPrints docs/reference/ from the code, and lists the pages that have changed.')
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
// The SDK's types need a compiler run, so a test compares them and not `npm run check`.
const pages = new Map([...printPages(version), [servedTypesPath, printServedTypes(root)] as const])

for (const [path, text] of pages) {
  const file = join(root, path)
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  process.stdout.write(`${path}\n`)
}

const methodsFolder = 'docs/reference/methods'
for (const name of readdirSync(join(root, methodsFolder))) {
  if (pages.has(`${methodsFolder}/${name}`)) continue
  rmSync(join(root, methodsFolder, name))
  process.stdout.write(`${methodsFolder}/${name} deleted\n`)
}
