// `npm run docs`: prints the reference pages from the code. `npm run check` compares them.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommandLine } from './command-line.ts'
import { printServedTypes, servedTypesPath } from './browser/package-types.ts'
import { printPackedTypes } from './client/build.ts'
import { clientTypesPath } from './client/tarball.ts'
import { printPages, printSections } from './pages/pages.ts'

readCommandLine({}, 'npm run docs\n\nPrints docs/reference/ from the code, and lists the pages that have changed.')
const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
// The SDK's types need a compiler run, so a test compares them and not `npm run check`.
const pages = new Map([...printPages(version), ...printSections((path) => readFileSync(join(root, path), 'utf8'))])
print(pages)
// The types are compiled, and may need what was just printed.
print(
  new Map([
    [servedTypesPath, printServedTypes(root)],
    [clientTypesPath, printPackedTypes(root)],
  ]),
)

const methodsFolder = 'docs/reference/methods'
for (const name of readdirSync(join(root, methodsFolder))) {
  if (pages.has(`${methodsFolder}/${name}`)) continue
  rmSync(join(root, methodsFolder, name))
  process.stdout.write(`${methodsFolder}/${name} deleted\n`)
}

function print(texts: ReadonlyMap<string, string>): void {
  for (const [path, text] of texts) {
    const file = join(root, path)
    if (existsSync(file) && readFileSync(file, 'utf8') === text) continue
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    process.stdout.write(`${path}\n`)
  }
}
