import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'

import { RequirementMissing } from '../fault/requirement-missing.ts'
import { chromiumFlags, findChromium } from '../tools/chromium.ts'

/** What is opened in the shop's page: the card form, or one or three bare iframes, whose empty document posts one message. */
export type FormPageKind = 'form' | 'one' | 'three'

export interface FormStage {
  /** The address of the form's document as the SDK requests it, without the language. */
  readonly formAddress: string
  /** Opens a new page of the shop, and in it the form or the frames. Returns the ms until the page was notified that they are ready. */
  time: (opening: FormPageKind) => Promise<number>
  close: () => Promise<void>
}

/** One Chromium, a shop on `localhost`, and bare frames on 127.0.0.1, which is another site, like the form: each has a process of its own. */
export async function openFormStage(formOrigin: string, merchant: string): Promise<FormStage> {
  const executablePath = findChromium()
  if (executablePath === null)
    throw new RequirementMissing('Chromium is missing: apt-get install chromium, or set TESSERA_TEST_CHROMIUM to its path')
  const page = `<!doctype html><html lang="en"><title>Shop</title><div id="card"></div><script src="${formOrigin}/sdk/v1/tessera.js"></script><script>${timers}</script></html>`
  const [shop, bare] = [await serve(page), await serve(bareDocument)]
  const browser = await chromium.launch({ executablePath, args: chromiumFlags() })
  const context = await browser.newContext()
  // Stays open: with the last page the window would be closed, and each new window loads Chromium's own pages during the measurement.
  await context.newPage()
  const shopOrigin = `http://localhost:${String(shop.port)}`
  const query = new URLSearchParams({ merchant, origin: shopOrigin })
  return {
    formAddress: `${formOrigin}/form/v1?${String(query)}`,
    async time(opening) {
      const opened = await context.newPage()
      await opened.goto(shopOrigin)
      // Until the page itself has been rendered.
      await opened.evaluate('idle()')
      const ms: number = await opened.evaluate(
        opening === 'form'
          ? `timeForm('${merchant}')`
          : `timeFrames('http://127.0.0.1:${String(bare.port)}/', ${opening === 'one' ? '1' : '3'})`,
      )
      await opened.close()
      return ms
    },
    async close() {
      await browser.close()
      for (const { server } of [shop, bare]) server.close().closeAllConnections()
    },
  }
}

/** The page's own script. Each function returns ms: from `mount` to the form's `ready`, or until the last frame has posted its message. */
const timers = `
  const idle = () => new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1000 }))
  const timeForm = (merchant) => new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const form = new Tessera.CardForm({ merchant, locale: 'uz', save: 'ask' })
    form.on('ready', () => resolve(performance.now() - startedAt))
    form.on('error', (error) => reject(new Error(error.reason)))
    form.mount('#card')
  })
  const timeFrames = (address, count) => new Promise((resolve) => {
    const startedAt = performance.now()
    let remaining = count
    addEventListener('message', () => --remaining === 0 && resolve(performance.now() - startedAt))
    for (let made = 0; made < count; made++) {
      const frame = document.createElement('iframe')
      frame.src = address
      document.getElementById('card').append(frame)
    }
  })`

/** The smallest document that notifies its page. */
const bareDocument = `<!doctype html><title>Bare</title><script>parent.postMessage('ready', '*')</script>`

async function serve(html: string): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((_request, reply) => {
    reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}
