import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'

import { startTessera, type StartedTessera } from '../../../tools/start-tessera.ts'
import { brotliOptions, gzipOptions } from '../server/pages/page-compression.ts'

let tessera: StartedTessera
before(async () => {
  tessera = await startTessera()
})
after(() => tessera.stop())

interface PageReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/** Sends a request with the Host header of a browser on this machine, which fetch does not allow to be set. */
function get(path: string, host: string): Promise<PageReply> {
  const { hostname, port } = new URL(tessera.url)
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, headers: { host: `${host}:${port}` } }, (reply) => {
      let body = ''
      reply.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
      reply.on('end', () => resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body }))
    })
    outgoing.on('error', reject).end()
  })
}

test('the running service has the form only on its own host', async () => {
  const path = `/form/v1?merchant=${tessera.merchantId}&origin=http%3A%2F%2Flocalhost%3A3000`
  const form = await get(path, '127.0.0.1')
  assert.equal(form.status, 200)
  assert.match(form.body, /<script type="application\/json" id="tessera">/)
  assert.match(String(form.headers['content-security-policy']), /frame-ancestors http:\/\/localhost:3000$/)
  assert.equal((await get(path, 'localhost')).status, 404)
  assert.equal((await get(`/form/v1?merchant=${'0'.repeat(24)}&origin=http://localhost:3000`, '127.0.0.1')).status, 404)
})

// The document of the test environment contains the script that measures a theme's contrast; production's is the same without it. A Cyrillic letter
// takes two bytes, and browsers get Brotli over HTTPS.
test('the form is one request of at most 12 kB gzipped, also in Russian, and at most 11 kB by Brotli', async () => {
  for (const locale of ['uz', 'ru', 'en']) {
    const query = new URLSearchParams({ merchant: tessera.merchantId, origin: 'http://localhost:3000', locale })
    const { body } = await get(`/form/v1?${String(query)}`, '127.0.0.1')
    for (const [what, { length }, most] of [
      ['gzip', gzipSync(body, gzipOptions), 12 * 1024],
      ['Brotli', brotliCompressSync(body, brotliOptions), 11 * 1024],
    ] as const) {
      assert.ok(length <= most, `${locale}, ${what}: ${length} bytes of ${most}`)
    }
  }
})

test('the SDK files match their published integrity', async () => {
  const published = JSON.parse((await get('/sdk/v1/integrity.json', '127.0.0.1')).body) as {
    version: string
    files: Record<string, string>
  }
  const { body, status } = await get(`/sdk/${published.version}/tessera.js`, '127.0.0.1')
  assert.equal(status, 200)
  const digest = await crypto.subtle.digest('SHA-384', Buffer.from(body))
  assert.equal(published.files['tessera.js'], `sha384-${Buffer.from(digest).toString('base64')}`)
})

test('terms and privacy of the test environment are pages', async () => {
  for (const path of ['/form/terms?locale=uz', '/form/privacy?locale=ru']) assert.equal((await get(path, '127.0.0.1')).status, 200)
})
