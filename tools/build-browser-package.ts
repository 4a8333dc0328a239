// `npm run build -w browser`: browser/dist with the types of the testing package. `npm run build` builds the rest, without the compiler.
import { writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { buildBrowser } from './browser/build.ts'
import { bundleSdkTypes, bundleTestingTypes } from './browser/testing-types.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dist = join(root, 'browser', 'dist')
await buildBrowser(root, dist)
const types = bundleTestingTypes(root)
writeFileSync(join(dist, 'testing.d.ts'), types)
for (const [name, text] of bundleSdkTypes(root)) writeFileSync(join(dist, name), text)
process.stdout.write(`testing.d.ts ${Buffer.byteLength(types)} bytes\n`)
