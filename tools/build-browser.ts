// `npm run build`: the hosted form and the SDK, into browser/dist.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildBrowser } from './browser/build.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { files } = await buildBrowser(root, join(root, 'browser', 'dist'))
for (const [name, { bytes, gzipBytes }] of Object.entries(files))
  process.stdout.write(`${name.padEnd(12)} ${bytes} bytes, ${gzipBytes} gzipped\n`)
