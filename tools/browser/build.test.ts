import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'

import { buildBrowser, type Manifest } from './build.ts'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
let folder = ''
let manifest: Manifest
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tessera-build-'))
  manifest = await buildBrowser(root, folder)
})
after(() => rmSync(folder, { recursive: true, force: true }))

const read = (name: string): string => readFileSync(join(folder, name), 'utf8')

// The form's own document: service/src/server/pages/form-size.test.ts.
test('the hosted page around the form has at most 12 kB gzipped, and the SDK at most 3.5 kB', () => {
  const { length: hosted } = gzipSync(`<style>${read('hosted.css')}</style><script>${read('hosted.js')}</script>`, { level: 9 })
  assert.ok(hosted <= maxHostedBytes, `the hosted page has ${String(hosted)} bytes`)
  for (const name of ['tessera.js', 'tessera.mjs']) {
    const { gzipBytes = Infinity } = manifest.files[name] ?? {}
    assert.ok(gzipBytes <= maxSdkBytes, `${name} has ${String(gzipBytes)} bytes`)
  }
})

test('the manifest lists every file, and the frame can be inlined in its document', () => {
  assert.deepEqual(Object.keys(manifest.files), [
    'frame.js',
    'frame-deferred.js',
    'frame-appearance.js',
    'preview.js',
    'frame.css',
    'hosted.js',
    'hosted.css',
    'frame-texts.json',
    'tessera.js',
    'tessera.mjs',
    'react.mjs',
    'tessera.d.ts',
    'tessera-client.tgz',
  ])
  assert.doesNotMatch(read('frame.js'), /<\/script|<!--/i)
  assert.doesNotMatch(read('frame.css'), /<\/style|<!--|url\(/i)
})

const maxHostedBytes = 12 * 1024
const maxSdkBytes = 3.5 * 1024
