// `npm run build:server`: lays out the package @tessera/server in service/dist/server, and packs it. See docs/operating/installing.md.
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readCommandLine } from './command-line.ts'
import { buildServerPackage } from './server/build.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const usage = `npm run build:server -- [--out folder]

Lays out the package @tessera/server and packs it: tessera-server-<version>.tgz in the folder, that of the project by default.`
const { values } = readCommandLine({ out: { type: 'string' } }, usage)
const { folder, bundled } = buildServerPackage(root, join(root, 'service', 'dist', 'server'))
const packed = spawnSync('npm', ['pack', '--pack-destination', values.out ?? root], { cwd: folder, stdio: ['ignore', 'inherit', 'ignore'] })
process.stdout.write(`${String(bundled.length)} packages are inside.\n`)
process.exitCode = packed.status ?? 1
