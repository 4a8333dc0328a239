import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'

import { createHttpServer } from '../http/http-server.ts'
import { startListener } from '../../testing/http-request.fixture.ts'

import { addressRoutes } from './address-page.ts'

const handle = async () => assert.fail('no page calls the API')
const nobody = { providerName: null, providerAddress: null, providerUrl: null }
const server = createHttpServer({ handle, pages: addressRoutes({ formOrigin: null, dashboardOrigin: null, apiOrigin: null, ...nobody }) })
const send = await startListener(server)
const origins = {
  formOrigin: 'https://pay.example',
  dashboardOrigin: 'https://merchants.example',
  apiOrigin: 'https://api.example',
  providerName: 'Pay <b>',
  providerAddress: '1 Amir Temur, Tashkent',
  providerUrl: 'https://provider.example/',
}
const behindProxy = createHttpServer({ handle, pages: addressRoutes(origins) })
const sendBehindProxy = await startListener(behindProxy)
after(() => Promise.all([server.close(), behindProxy.close()]))

test('the API address says what it is, and leads to the dashboard on its own host name', async () => {
  for (const url of ['/', '/dashboard', '/dashboard/']) {
    const { statusCode, body, headers } = await send({ url, headers: { host: '127.0.0.1:8080' } })
    assert.equal(statusCode, 200)
    assert.match(body, /<a href="http:\/\/localhost:8080\/dashboard">http:\/\/localhost:8080\/dashboard<\/a>/)
    assert.match(body, url === '/' ? /<h1>Tessera is running<\/h1>/ : /<h1>The dashboard is at another address<\/h1>/)
    assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  }
  const own = await send({ url: '/', headers: { host: 'localhost:8080' } })
  assert.match(own.body, /<a href="\/dashboard">/)
  assert.doesNotMatch(own.body, /shares no cookies|card form/)
})

test('with origins of its own, the page names the dashboard there, also when it is opened on the machine itself', async () => {
  for (const host of ['pay.example', 'api.example', '127.0.0.1:8080', '[::1]:8080']) {
    const { statusCode, body } = await sendBehindProxy({ url: '/dashboard', headers: { host } })
    assert.deepEqual([statusCode, body.includes('<a href="https://merchants.example/dashboard">')], [200, true], host)
  }
  assert.match((await sendBehindProxy({ url: '/', headers: { host: 'merchants.example' } })).body, /<a href="\/dashboard">/)
})

test('other paths and other hosts stay 404', async () => {
  for (const [url, host] of [
    ['/index.html', '127.0.0.1:8080'],
    ['/dashboard/cards', '127.0.0.1:8080'],
    ['/', 'evil.example'],
    ['/dashboard', 'evil.example:8080'],
  ] as const) {
    assert.equal((await send({ url, headers: { host } })).statusCode, 404, host + url)
    assert.equal((await send({ url, method: 'POST', headers: { host } })).statusCode, 404, host + url)
  }
})

test('it speaks the language of the browser, and allows no script and no frame', async () => {
  for (const [accepted, language, text] of [
    ['ru-RU,ru;q=0.9,en;q=0.8', 'ru', 'Tessera работает'],
    ['uz', 'uz', 'Tessera ishlayapti'],
    ['de', 'en', 'Tessera is running'],
  ] as const) {
    const { body, headers } = await send({ url: '/', headers: { host: '127.0.0.1:8080', 'accept-language': accepted } })
    assert.ok(body.includes(`<html lang="${language}">`) && body.includes(text), accepted)
    const [, style = ''] = /<style>(.*)<\/style>/.exec(body) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    const policy = String(headers['content-security-policy'])
    assert.ok(style !== '' && policy.includes(`style-src 'sha256-${hash}'`), policy)
    assert.ok(policy.includes("default-src 'none'") && policy.includes("frame-ancestors 'none'"))
    assert.match(body, /<meta name="color-scheme" content="light dark">/)
  }
})

test('the page says who runs the service, where the settings do', async () => {
  const { body } = await sendBehindProxy({ url: '/', headers: { host: 'pay.example' } })
  assert.ok(body.includes('This service is run by <a href="https://provider.example/">Pay &#60;b&#62;</a>, 1 Amir Temur, Tashkent'), body)
  assert.doesNotMatch((await send({ url: '/', headers: { host: '127.0.0.1:8080' } })).body, /run by/)
})
