import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { chromium } from 'playwright-core'

import { chromiumFlags, findChromium } from '../tools/chromium.ts'

/** What is opened in the shop's page: the card form, or bare iframes, whose document says one word and holds nothing. */
export type FormPageKind = 'form' | 'one' | 'three'

export interface FormStage {
  /** Of the form's document, as the SDK asks for it, but for the language. */
  readonly formAddress: string
  /** Opens a new page of the shop and, in it, what is asked for: ms until the page heard that it is ready. */
  time: (opening: FormPageKind) => Promise<number>
  close: () => Promise<void>
}

/** One Chromium, a shop on `localhost`, and bare frames on 127.0.0.1, another site as the form is: each has a process of its own. */
export async function openFormStage(formOrigin: string, merchant: string): Promise<FormStage> {
  const executablePath = findChromium()
  if (executablePath === null) throw new Error('Chromium is missing: apt-get install chromium, or say where it is in TESSERA_TEST_CHROMIUM')
  const page = `<!doctype html><html lang="en"><title>Shop</title><div id="card"></div><script src="${formOrigin}/sdk/v1/tessera.js"></script><script>${timers}</script></html>`
  const [shop, bare] = [await serve(page), await serve(bareDocument)]
  const browser = await chromium.launch({ executablePath, args: chromiumFlags() })
  const context = await browser.newContext()
  // Kept open: with the last page its window would go, and each new window loads pages of Chromium's own beside what is measured.
  await context.newPage()
  const shopOrigin = `http://localhost:${String(shop.port)}`
  const query = new URLSearchParams({ merchant, origin: shopOrigin })
  return {
    formAddress: `${formOrigin}/form/v1?${String(query)}`,
    async time(opening) {
      const opened = await context.newPage()
      await opened.goto(shopOrigin)
      // Until the page itself has been drawn.
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

/** The page's own script: each tells ms, from `mount` to the form's `ready`, or until the last of the frames has said its word. */
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
    let left = count
    addEventListener('message', () => --left === 0 && resolve(performance.now() - startedAt))
    for (let made = 0; made < count; made++) {
      const frame = document.createElement('iframe')
      frame.src = address
      document.getElementById('card').append(frame)
    }
  })`

/** No less than a frame can be that tells its page that it is there. */
const bareDocument = `<!doctype html><title>Bare</title><script>parent.postMessage('ready', '*')</script>`

async function serve(html: string): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer((_request, reply) => {
    reply.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(html)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, port: (server.address() as AddressInfo).port }
}
