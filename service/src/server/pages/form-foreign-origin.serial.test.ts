// needs: build
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { after, before, test } from 'node:test'
import { chromium, type Browser, type Page } from 'playwright-core'

import { awaitWithin } from '../../../../tools/await-within.ts'
import { chromiumFlags, findTestBrowser } from '../../../../tools/chromium.ts'
import { createHttpServer, type HttpServer } from '../http/http-server.ts'
import { sandboxDisclosure, sandboxLegal } from '../../adapters/sandbox/legal.ts'

import { readFormAssets } from './form-assets.ts'
import { formRoutes } from './form-routes.ts'

const merchant = '65f0c0ffee0000000000cafe'
let [http, browser, formOrigin]: [HttpServer | null, Browser | null, string] = [null, null, '']
const origins: string[] = []

/** The form as in production: a merchant's registered origins, and no others. */
before(async () => {
  const assets = readFormAssets(fileURLToPath(new URL('../../../../browser/dist', import.meta.url)))
  const shop = { id: merchant, name: 'Shop', blocked: false, origins, brandColor: '', logo: '' }
  const texts = {
    providerName: 'Pay',
    providerUrl: null,
    disclosure: sandboxDisclosure,
    termsUrl: null,
    privacyUrl: null,
    cardRoutes: [],
    code: { length: 6, alphabet: '0123456789' },
    legal: sandboxLegal,
  }
  const pages = formRoutes({
    ...texts,
    assets,
    findMerchant: async () => shop,
    findLogo: async () => null,
    issueForm: async () => 'mark',
    isAnyOriginAllowed: false,
    environment: 'production',
    formOrigin: null,
    dashboardOrigin: null,
  })
  http = createHttpServer({ handle: async () => assert.fail('no page calls the API'), pages })
  const { port } = await http.listen({ host: '127.0.0.1', port: 0 })
  formOrigin = `http://127.0.0.1:${String(port)}`
  const executablePath = findTestBrowser()
  assert.ok(executablePath, 'Chromium is missing: npm test installs it, or say apt-get install chromium')
  browser = await chromium.launch({ executablePath, args: chromiumFlags() })
})
after(async () => {
  await browser?.close()
  await http?.close()
})

/** Opens a shop of its own origin that mounts the form in its page. */
async function openShop(run: (page: Page, origin: string) => Promise<void>): Promise<void> {
  const body = `<!doctype html><title>Shop</title><div id="card"></div><script src="${formOrigin}/sdk/v1/tessera.js"></script>`
  const server = createServer((_, reply) => reply.setHeader('content-type', 'text/html').end(body))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://localhost:${String((server.address() as AddressInfo).port)}`
  const page = (await browser?.newPage()) ?? assert.fail('no browser')
  await page.goto(origin).catch(() => undefined)
  try {
    await run(page, origin)
  } finally {
    await page.close()
    server.close().closeAllConnections()
  }
}

const mount = (id: string): void => {
  const page = globalThis as unknown as { Tessera: { CardForm: new (options: object) => { mount: (place: string) => void } } }
  new page.Tessera.CardForm({ merchant: id, locale: 'en' }).mount('#card')
}

test('a page of a registered origin gets the form, another one the reason for the refusal', async () => {
  await openShop(async (page, origin) => {
    await page.evaluate(mount, merchant)
    const frame = page.frameLocator('iframe')
    await frame.locator('body', { hasText: 'not registered' }).waitFor()
    assert.equal(await frame.locator('input').count(), 0)
    origins.push(origin)
    await page.reload()
    await page.evaluate(mount, merchant)
    await frame.locator('#number').waitFor()
  })
})

test('a page that claims the registered origin of another is refused by the browser', async () => {
  await openShop(async (victim, registered) => {
    origins.push(registered)
    await openShop(async (page) => {
      const refused = page.waitForEvent('console', (line) => line.text().includes(`frame-ancestors ${registered}`))
      const src = `${formOrigin}/form/v1?merchant=${merchant}&origin=${encodeURIComponent(registered)}#${'a'.repeat(32)}`
      // As a string, because the types of a browser are not available to the service's tests.
      await awaitWithin(
        page.evaluate(`new Promise((resolve) => {
        const frame = document.createElement('iframe')
        frame.src = ${JSON.stringify(src)}
        frame.onload = resolve
        document.body.append(frame)
      })`),
        'the refused frame has loaded',
      )
      await refused
      assert.equal(await page.frameLocator('iframe').locator('#number').count(), 0)
    })
    await victim.evaluate(mount, merchant)
    await victim.frameLocator('iframe').locator('#number').waitFor()
  })
})
