// `npm run build -w browser`: makes browser/dist/package, which is what is published. See docs/decisions/0096-packages.md.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { buildBrowserPackage } from './browser/package.ts'
import { copyLicence } from './copy-licence.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
copyLicence(root, 'browser')
for (const { path, bytes } of await buildBrowserPackage(root, join(root, 'browser', 'dist', 'package'))) {
  process.stdout.write(`${path}  ${bytes} bytes\n`)
}
