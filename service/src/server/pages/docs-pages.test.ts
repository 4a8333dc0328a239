// needs: build
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'

import { dashboardFolder } from '../../app/built-files.ts'
import { startListener } from '../../testing/http-request.fixture.ts'
import { createHttpServer } from '../http/http-server.ts'

import { docsRoutes, readDocsPages } from './docs-pages.ts'

const pages = readDocsPages(dashboardFolder)
const htmlOf = (address: string): string => pages.get(address)?.bytes.toString('utf8') ?? assert.fail(`there is no page ${address}`)
const addresses = [...pages].filter(([, { type }]) => type.startsWith('text/html')).map(([address]) => address)

test('every link of the documentation leads to a page, a section or a file that there is', () => {
  const ids = new Map(addresses.map((address) => [address, new Set([...htmlOf(address).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]))
  let links = 0
  for (const address of addresses) {
    for (const [, href = ''] of htmlOf(address).matchAll(/ (?:href|src)="([^"]+)"/g)) {
      const [target = '', anchor] = (href.startsWith('#') ? address + href : href).split('#')
      if (!target.startsWith('/docs')) {
        assert.match(target, /^(?:https?:|mailto:|data:,$|\/dashboard$)/, `${address} has ${href}`)
        continue
      }
      links++
      assert.ok(pages.has(target), `${address} leads to ${href}`)
      if (anchor !== undefined) assert.ok(ids.get(target)?.has(anchor), `${address} leads to ${href}`)
    }
  }
  assert.ok(links > 2000, String(links))
})

test('a page has one heading of the first level and no script, and sizes have bounds', () => {
  let total = 0
  for (const [address, { bytes, type }] of pages) {
    total += bytes.length
    assert.ok(bytes.length <= 256 * 1024, `${address}: ${String(bytes.length)} bytes`)
    if (!type.startsWith('text/html')) continue
    const html = bytes.toString('utf8')
    assert.equal([...html.matchAll(/<h1/g)].length, 1, address)
    assert.doesNotMatch(html, /<script| on\w+="| style="|javascript:/i, address)
    assert.ok(gzipSync(bytes).length <= 40 * 1024, address)
  }
  assert.ok(total <= 3 * 1024 * 1024, `${String(total)} bytes in all`)
})

test('the documentation is served on the host of the dashboard alone, compressed where that is accepted, and no path leads out of it', async (t) => {
  const handle = async () => assert.fail('no page calls the API')
  const server = createHttpServer({ handle, pages: docsRoutes(pages, 'https://pay.example') })
  t.after(() => server.close())
  const send = await startListener(server)
  const get = (url: string, headers: Record<string, string> = {}) => send({ url, headers: { host: 'pay.example', ...headers } })
  const page = await get('/docs/reference/errors')
  assert.deepEqual([page.statusCode, page.headers['content-type']], [200, 'text/html; charset=utf-8'])
  assert.match(page.body, /id="wrong_code"/)
  const packed = await get('/docs/reference/errors', { 'accept-encoding': 'gzip' })
  assert.equal(packed.headers['content-encoding'], 'gzip')
  for (const url of ['/docs', '/docs/', '/docs/reference/methods', '/docs/reference/openrpc.json', '/docs/pictures/form-steps.png'])
    assert.equal((await get(url)).statusCode, 200, url)
  for (const url of [
    '/docs/none',
    '/docs/../package.json',
    '/docs/%2e%2e/app.js',
    '/docs/reference/errors.md',
    '/docs/constructor',
    '/docsx',
  ])
    assert.equal((await get(url)).statusCode, 404, url)
  assert.equal((await get('/docs', { host: 'form.example' })).statusCode, 404)
  assert.ok(gunzipSync(pages.get('/docs')?.gzipped ?? Buffer.alloc(0)).equals(pages.get('/docs')?.bytes ?? Buffer.alloc(0)))
})
