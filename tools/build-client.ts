// `npm run build -w client`: makes client/dist, which is what is published. See docs/decisions/0011-client.md.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildClient } from './client/build.ts'
import { copyLicence } from './copy-licence.ts'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
copyLicence(root, 'client')
for (const { path, bytes } of await buildClient(root, join(root, 'client', 'dist'))) process.stdout.write(`${path}  ${bytes} bytes\n`)
