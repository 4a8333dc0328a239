import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { chromium, type Browser, type Page } from 'playwright-core'

import { chromiumFlags, findTestBrowser } from '../../../tools/chromium.ts'
import { startTessera } from '../../../tools/start-tessera.ts'

/** What a merchant's page sees of the API in a real browser: a page of another origin, with the browser's own rules in force. */
describe('a page of a merchant in a real browser', () => {
  let tessera: Awaited<ReturnType<typeof startTessera>>
  let shop: Server
  let browser: Browser
  let page: Page
  const consoleLines: string[] = []

  before(async () => {
    tessera = await startTessera()
    shop = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end('<!doctype html><title>Shop</title>'))
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve))
    const executablePath = findTestBrowser()
    assert.ok(executablePath, 'Chromium is missing: npm test installs it, or say apt-get install chromium')
    browser = await chromium.launch({ executablePath, args: chromiumFlags() })
    page = await browser.newPage()
    page.on('console', (line) => consoleLines.push(line.text()))
    // 127.0.0.1 is the host of the form in the test environment, whose calls get more than a shop's.
    await page.goto(`http://localhost:${String((shop.address() as AddressInfo).port)}/`)
  })

  after(async () => {
    await browser.close()
    shop.close()
    await tessera.stop()
  })

  async function call(method: string, params: object, headers: Record<string, string>): Promise<unknown> {
    return page.evaluate(
      async ([url, body, extra]) => {
        const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...extra }, body })
        return await reply.json()
      },
      [`${tessera.url}/api/${method}`, JSON.stringify({ id: 'page', method, params }), headers] as const,
    )
  }

  const card = { number: '8600069195406311', expire: '0399' }

  it('sends a card across origins and reads the token, with no more than the merchant id', async () => {
    const reply = (await call('cards.create', { card, save: true }, { 'x-auth': tessera.merchantId })) as {
      id: string
      result: { card: { number: string; token: string; verify: boolean } }
    }
    assert.equal(reply.id, 'page')
    assert.equal(reply.result.card.number, '8600***6311')
    assert.equal(reply.result.card.verify, false)
    const verified = await proveCard(reply.result.card.token)
    assert.equal(verified, true)
  })

  async function proveCard(token: string): Promise<boolean> {
    const auth = { 'x-auth': tessera.merchantId }
    assert.deepEqual(await call('cards.get_verify_code', { token }, auth), {
      jsonrpc: '2.0',
      id: 'page',
      result: { sent: true, phone: '99890*****66', wait: 60000 },
    })
    const reply = (await call('cards.verify', { token, code: '666666' }, auth)) as { result: { card: { verify: boolean } } }
    return reply.result.card.verify
  }

  it('is refused with the reason credential_in_browser when the password is in its script', async () => {
    const reply = await call('cards.create', { card }, { 'x-auth': `${tessera.merchantId}:${tessera.password}` })
    assert.equal((reply as { error: { reason: string } }).error.reason, 'credential_in_browser')
  })

  it('gets a response to the preflight of every header that clients send', async () => {
    const headers = { 'x-auth': tessera.merchantId, 'cache-control': 'no-cache', 'idempotency-key': 'k1', 'accept-language': 'ru' }
    const reply = await call('cards.create', { card }, headers)
    assert.ok('result' in (reply as object))
  })

  it('can send no cookie along: the browser refuses to show the reply of a request with credentials', async () => {
    const seen = await page.evaluate(async (url) => {
      try {
        await fetch(url, { method: 'POST', credentials: 'include', body: '{}' })
        return 'readable'
      } catch {
        return 'refused'
      }
    }, `${tessera.url}/api`)
    assert.equal(seen, 'refused')
  })

  it('finds no digit of the card in the console', () => {
    assert.ok(consoleLines.every((line) => !/[0-9]{6,}/.test(line)))
  })
})
