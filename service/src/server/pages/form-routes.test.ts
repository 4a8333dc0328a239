import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'

import { createHttpServer } from '../http/http-server.ts'
import { startListener, type TestReply, type TestRequest } from '../../testing/http-request.fixture.ts'
import { sandboxDisclosure, sandboxLegal } from '../../adapters/sandbox/legal.ts'

import { toDeferredScript, toSdkFile } from './form-assets.ts'
import { formRoutes, type FormMerchant, type FormPageOptions } from './form-routes.ts'

const script = "document.title = 'ready'"
const style = 'body { margin: 0 }'
const shop: FormMerchant = {
  id: '65f0c0ffee0000000000cafe',
  name: '</script><b>Shop & "Co"',
  blocked: false,
  origins: ['https://shop.example'],
  brandColor: '#0a7d5a',
  logo: createHash('sha256').update('logo').digest('hex'),
}
const options: FormPageOptions = {
  assets: {
    version: '1.2.3',
    script,
    deferred: toDeferredScript('deferred', Buffer.from("document.title = 'complete'")),
    appearance: toDeferredScript('appearance', Buffer.from("document.title = 'appearance'")),
    preview: "document.title = 'preview'",
    style,
    hosted: { script: "document.title = 'hosted'", style: 'main{}' },
    texts: { uz: { submit: 'Davom' }, ru: { submit: 'Далее' }, en: { submit: 'Go' } },
    files: new Map([
      ['tessera.js', toSdkFile(Buffer.from('sdk'))],
      ['tessera.d.ts', toSdkFile(Buffer.from('types'))],
    ]),
  },
  findMerchant: async (id) => {
    if (id === failing) throw new Error('no database')
    return id === shop.id ? shop : id === blocked.id ? blocked : null
  },
  findLogo: async (id) => (id === shop.id ? { png: Buffer.from('logo'), sha256: shop.logo } : null),
  issueForm: async (id, origin) => `${id} ${origin}`,
  isAnyOriginAllowed: false,
  environment: 'test',
  formOrigin: 'https://form.example',
  dashboardOrigin: 'https://pay.example',
  providerName: 'Pay <b>',
  providerUrl: 'https://pay.example/?<b>',
  disclosure: sandboxDisclosure,
  cardRoutes: [{ network: 'humo' }, { network: 'uzcard' }, { network: 'humo' }, { network: 'test' }],
  termsUrl: null,
  privacyUrl: 'https://pay.example/privacy',
  code: { length: 6, alphabet: '0123456789' },
  legal: sandboxLegal,
}
const blocked: FormMerchant = { ...shop, id: '65f0c0ffee0000000000dead', blocked: true }
const failing = '65f0c0ffee000000000fa110'

const server = createHttpServer({ handle: async () => assert.fail('no page calls the API'), pages: formRoutes(options) })
let send: (request: TestRequest) => Promise<TestReply>
before(async () => {
  send = await startListener(server)
})
after(() => server.close())

async function get(url: string, headers: Record<string, string> = {}) {
  return send({ url, headers: { host: 'form.example', ...headers } })
}

const { path: appearancePath } = options.assets.appearance
const formUrl = `/form/v1?merchant=${shop.id}&origin=https%3A%2F%2Fshop.example`

test('the form is one document whose script, deferred script and style are the only ones that its policy allows', async () => {
  const reply = await get(formUrl)
  assert.equal(reply.statusCode, 200)
  const policy = String(reply.headers['content-security-policy'])
  for (const [what, text] of [
    ['script-src', script],
    ['style-src', style],
  ] as const) {
    assert.ok(policy.includes(`${what} 'sha256-${createHash('sha256').update(text).digest('base64')}'`), policy)
    assert.ok(reply.body.includes(`>${text}</`))
  }
  const hash = `'sha256-${createHash('sha256').update(script).digest('base64')}'`
  assert.equal(policy.split('; ')[1], `script-src ${hash} form.example${options.assets.deferred.path} form.example${appearancePath}`)
  const rules = ["default-src 'none'", "connect-src 'self'", "form-action 'none'", "base-uri 'none'", "trusted-types 'none'"]
  for (const rule of [...rules, "require-trusted-types-for 'script'"]) assert.ok(policy.split('; ').includes(rule), rule)
  assert.match(policy, /; frame-ancestors https:\/\/shop\.example$/)
  assert.deepEqual(
    [
      reply.headers['cache-control'],
      reply.headers['referrer-policy'],
      reply.headers['cross-origin-embedder-policy'],
      reply.headers['cross-origin-resource-policy'],
      reply.headers['origin-agent-cluster'],
      reply.headers['x-content-type-options'],
      reply.headers['set-cookie'],
    ],
    ['no-store', 'no-referrer', 'require-corp', 'cross-origin', '?1', 'nosniff', undefined],
  )
  const allowed = String(reply.headers['permissions-policy']).split(', ')
  for (const feature of ['camera=()', 'clipboard-read=()', 'payment=()', 'geolocation=()']) assert.ok(allowed.includes(feature), feature)
  assert.ok(allowed.every((feature) => feature.endsWith('=()')))
})

test('the deferred script has the integrity that the document requires, never changes, and is read by no other origin', async () => {
  const { body } = await get(formUrl)
  const [, path = '', integrity = ''] = /<template><script src="([^"]+)" integrity="([^"]+)"><\/script>/.exec(body) ?? []
  const served = await get(path)
  assert.equal(integrity, `sha256-${createHash('sha256').update(served.rawPayload).digest('base64')}`)
  assert.deepEqual(
    ['content-type', 'cache-control', 'cross-origin-resource-policy', 'x-content-type-options', 'access-control-allow-origin'].map(
      (name) => served.headers[name],
    ),
    ['text/javascript; charset=utf-8', 'public, max-age=31536000, immutable', 'same-origin', 'nosniff', undefined],
  )
  assert.equal(brotliDecompressSync((await get(path, { 'accept-encoding': 'gzip, br' })).rawPayload).toString(), served.body)
  assert.equal((await get(path.replace(/[0-9a-f]\.js$/, 'x.js'))).statusCode, 404)
  assert.equal((await get(path, { host: 'localhost:8080' })).statusCode, 404)
})

test('every script of the form’s document is in the published inventory, with its hash and its purpose', async () => {
  interface Inventory {
    readonly formScripts: readonly { readonly path: string | null; readonly integrity: string; readonly purpose: string }[]
  }
  const { body } = await get(formUrl)
  const { formScripts } = (await get('/sdk/v1/integrity.json')).json() as Inventory
  const inline = [...body.matchAll(/<script>(.*?)<\/script>/g)].map(([, text = '']) => createHash('sha256').update(text).digest('base64'))
  const loaded = [...body.matchAll(/<script src="([^"]*)" integrity="([^"]*)">/g)].map(([, path, integrity]) => [path, integrity])
  assert.deepEqual(
    formScripts.map(({ path, integrity }) => [path, integrity]),
    [...inline.map((hash) => [null, `sha256-${hash}`]), ...loaded],
  )
  assert.equal(body.match(/<script/g)?.length, 1 + inline.length + loaded.length, 'the configuration is the only other script element')
  assert.ok(formScripts.every(({ purpose }) => purpose !== ''))
})

test('the script of an appearance has an address of its content, which the document names and its policy allows', async () => {
  const { statusCode, headers, body } = await get(appearancePath)
  assert.deepEqual([statusCode, body], [200, "document.title = 'appearance'"])
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.match(String(headers['content-type']), /^text\/javascript/)
  assert.ok((await get(formUrl)).body.includes(`<script src="${appearancePath}" integrity="${options.assets.appearance.integrity}">`))
  assert.notEqual(toDeferredScript('appearance', Buffer.from('other')).path, appearancePath)
  assert.equal((await get('/form/v1/appearance-0123456789abcdef.js')).statusCode, 404)
})

test('only the dashboard may frame the form builder’s preview, which calls nothing and has no form token', async () => {
  const preview = (query: string) => get(`/form/v1/preview?${query}`)
  const { statusCode, headers, body } = await preview(`merchant=${shop.id}&origin=https%3A%2F%2Fpay.example&locale=ru`)
  assert.equal(statusCode, 200)
  const policy = String(headers['content-security-policy'])
  assert.match(policy, /; connect-src 'none'; .*; frame-ancestors https:\/\/pay\.example$/)
  const { preview: played } = options.assets
  assert.ok(body.includes([played, script].map((text) => `<script>${text}</script>`).join('')))
  assert.match(body, /"form":""/)
  assert.match(body, /<html lang="ru">/)
  for (const query of [
    `merchant=${shop.id}`,
    `merchant=${shop.id}&origin=https%3A%2F%2Fshop.example`,
    `merchant=${shop.id}&origin=https%3A%2F%2Fpay.example.evil.example`,
    'origin=https%3A%2F%2Fpay.example',
    'merchant=65f0c0ffee0000000000beef&origin=https%3A%2F%2Fpay.example',
    `merchant=${shop.id}&origin=http%3A%2F%2Flocalhost`,
  ])
    assert.equal((await preview(query)).statusCode, 404, query)
  assert.ok(!(await get(formUrl)).body.includes(played))
})

test('the document has one language, and others are served on request', async () => {
  const messagesOf = (body: string): unknown => {
    const config = /<script type="application\/json" id="tessera">(.*?)<\/script>/.exec(body)?.[1] ?? '{}'
    return (JSON.parse(config) as { messages: { locale: string; texts: { submit: string } } }).messages
  }
  for (const [locale, language, submit] of [['ru', 'ru', 'Далее'] as const, ['en', 'en', 'Go'] as const, ['kk', 'uz', 'Davom'] as const]) {
    const { body } = await get(`${formUrl}&locale=${locale}`)
    assert.match(body, new RegExp(`^<!doctype html><html lang="${language}">`))
    const text = sandboxDisclosure[language]
    const sha256 = createHash('sha256').update(text).digest('hex')
    const messages = { locale: language, texts: { submit }, disclosure: { version: sandboxDisclosure.version, text, sha256 } }
    assert.deepEqual(messagesOf(body), messages)
    const response = await get(`/form/v1/messages?locale=${locale}`)
    assert.deepEqual(JSON.parse(response.body), messages)
    assert.deepEqual([response.headers['content-type'], response.headers['cache-control']], ['application/json; charset=utf-8', 'no-store'])
  }
})

test('the document names each payment system once whose cards the service accepts', async () => {
  const { body } = await get(formUrl)
  assert.match(body, /"accepted":\["humo","uzcard"\]/)
})

test('names of merchants and providers cannot break out of the document’s elements', async () => {
  const { body } = await get(formUrl)
  const config = /<script type="application\/json" id="tessera">(.*?)<\/script>/.exec(body)?.[1] ?? ''
  const read = JSON.parse(config) as Record<string, unknown>
  assert.deepEqual(
    [
      read['environment'],
      read['merchant'],
      read['merchantName'],
      read['origin'],
      read['providerName'],
      read['providerUrl'],
      read['termsUrl'],
      read['privacyUrl'],
    ],
    [
      'test',
      shop.id,
      shop.name,
      'https://shop.example',
      'Pay <b>',
      'https://pay.example/?<b>',
      '/form/terms',
      'https://pay.example/privacy',
    ],
  )
  assert.equal(body.match(/<script/g)?.length, 4)
  assert.ok(!body.includes('<b>'))
})

test('every refusal says what to do, and contains no script', async () => {
  const cases: [query: string, status: number, message: RegExp][] = [
    ['', 400, /merchant=/],
    ['?merchant=65F0', 400, /merchant=/],
    [`?merchant=${shop.id}`, 400, /location\.origin/],
    [`?merchant=${shop.id}&origin=https://shop.example/`, 400, /without a path/],
    [`?merchant=${shop.id}&origin=null`, 400, /origin/],
    [`?merchant=${shop.id}&origin=https://a.example&origin=https://shop.example`, 400, /origin/],
    [`?merchant=${'0'.repeat(24)}&origin=https://shop.example`, 404, /id/],
    [`?merchant=${shop.id}&origin=https://evil.example`, 403, /not registered/],
    [`?merchant=${blocked.id}&origin=https://shop.example`, 403, /blocked/],
  ]
  for (const [query, status, message] of cases) {
    const reply = await get(`/form/v1${query}`)
    assert.equal(reply.statusCode, status, query)
    assert.match(reply.body, message, query)
    assert.ok(!reply.body.includes('<script') && !reply.body.includes('evil'), query)
    assert.match(String(reply.headers['content-security-policy']), /^default-src 'none'/)
  }
})

test('refusals are in the language of the link, and otherwise in that of the browser', async () => {
  const url = `/form/v1/page?merchant=${'0'.repeat(24)}`
  for (const [address, accepted, language, title] of [
    [url, 'ru', 'ru', 'Мерчант не найден'],
    [url, 'de', 'en', 'Unknown merchant'],
    [`${url}&locale=uz`, 'ru', 'uz', 'Merchant topilmadi'],
  ] as const) {
    const { body, statusCode } = await get(address, { 'accept-language': accepted })
    assert.equal(statusCode, 404)
    assert.ok(body.includes(`<html lang="${language}">`) && body.includes(`<h1>${title}</h1>`), body)
  }
})

test('an unknown page of the form and a service that cannot answer have pages too, which say nothing of the inside', async () => {
  const unknown = await get('/form/v1/pages')
  assert.deepEqual([unknown.statusCode, unknown.headers['content-type']], [404, 'text/html; charset=utf-8'])
  assert.match(unknown.body, /There is no such page/)
  for (const url of [`/form/v1/page?merchant=${failing}`, `/form/v1?merchant=${failing}&origin=https://shop.example`]) {
    const failed = await get(url)
    assert.deepEqual([failed.statusCode, failed.headers['retry-after']], [503, '5'])
    assert.match(failed.body, /Nothing was charged/)
    assert.ok(!failed.body.includes('database'))
  }
})

test('the hosted page has the merchant’s logo and color; a logo is an image and nothing else, under its own hash only', async () => {
  const { body, headers } = await get(`/form/v1/page?merchant=${shop.id}`)
  const [, json = ''] = /id="tessera">(.*?)<\/script>/.exec(body) ?? []
  const { logo, brandColor } = JSON.parse(json) as { logo: string; brandColor: string }
  assert.equal(brandColor, '#0a7d5a')
  assert.match(String(headers['content-security-policy']), /img-src 'self';/)
  const image = await get(logo)
  assert.deepEqual([image.statusCode, image.body, image.headers['content-type']], [200, 'logo', 'image/png'])
  assert.deepEqual(
    [image.headers['x-content-type-options'], image.headers['content-security-policy']],
    ['nosniff', "default-src 'none'; sandbox"],
  )
  for (const other of [logo.replace(shop.logo, '0'.repeat(64)), logo.replace(shop.id, blocked.id), '/form/v1/logo/x.png'])
    assert.equal((await get(other)).statusCode, 404, other)
})

test('none of the form’s pages is served on another host', async () => {
  for (const url of [formUrl, '/form/terms', '/sdk/v1/tessera.js']) {
    const reply = await get(url, { host: 'localhost:8080' })
    assert.equal(reply.statusCode, 404, url)
    assert.equal((reply.json() as { title: string }).title, 'Not Found')
  }
})

test('the document is compressed as the browser accepts it, with the same content', async () => {
  const plain = await get(formUrl)
  assert.equal(plain.headers['content-encoding'], undefined)
  for (const [taken, encoding, open] of [
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip, deflate', 'gzip', gunzipSync],
  ] as const) {
    const packed = await get(formUrl, { 'accept-encoding': taken })
    assert.deepEqual([packed.headers['content-encoding'], packed.headers['vary']], [encoding, 'Accept-Encoding'])
    const shape = (html: string): string => html.replace(/"form":"[^"]*"/, '')
    assert.equal(shape(open(packed.rawPayload).toString()), shape(plain.body))
  }
})

test('SDK files are cacheable for an hour under v1 and for ever under their version, and their integrity is published', async () => {
  const { files } = (await get('/sdk/v1/integrity.json')).json() as { files: Record<string, string> }
  assert.equal(files['tessera.js'], `sha384-${createHash('sha384').update('sdk').digest('base64')}`)
  const [moving, fixed, zipped] = [
    await get('/sdk/v1/tessera.js'),
    await get('/sdk/1.2.3/tessera.js'),
    await get('/sdk/1.2.3/tessera.js', { 'accept-encoding': 'gzip' }),
  ]
  assert.deepEqual([moving.body, fixed.body, zipped.headers['content-encoding']], ['sdk', 'sdk', 'gzip'])
  assert.equal(moving.headers['cache-control'], 'public, max-age=3600')
  assert.match(String(fixed.headers['cache-control']), /immutable/)
  assert.deepEqual([fixed.headers['access-control-allow-origin'], fixed.headers['cross-origin-resource-policy']], ['*', 'cross-origin'])
  assert.equal((await get('/sdk/1.2.4/tessera.js')).statusCode, 404)
})

test('the SDK’s type declarations are served as TypeScript, not as a script', async () => {
  for (const [url, caching] of [
    ['/sdk/v1/tessera.d.ts', /^public, max-age=3600$/],
    ['/sdk/1.2.3/tessera.d.ts', /^public, max-age=31536000, immutable$/],
  ] as const) {
    const { body, headers } = await get(url)
    assert.deepEqual([body, headers['content-type']], ['types', 'application/typescript; charset=utf-8'])
    assert.match(String(headers['cache-control']), caching)
    assert.deepEqual([headers['access-control-allow-origin'], headers['x-content-type-options']], ['*', 'nosniff'])
  }
  assert.equal((await get('/sdk/1.2.3/tessera.js')).headers['content-type'], 'text/javascript; charset=utf-8')
})

test('the test environment has terms and privacy in three languages', async () => {
  for (const path of ['/form/terms', '/form/privacy']) {
    const pages = await Promise.all(['en', 'ru', 'uz'].map((locale) => get(`${path}?locale=${locale}`)))
    assert.equal(new Set(pages.map(({ body }) => body)).size, 3)
    for (const { body } of pages) assert.match(body, /<h1>/)
  }
})
