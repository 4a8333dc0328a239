import { setTimeout as pause } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import { fillCard } from '../../browser/testing/fill-card.ts'
import { chromiumFlags, findTestBrowser } from '../../tools/chromium.ts'
import { phoneOfCard } from './card-network.ts'
import { makeMerchantCalls, makeCardNumber } from './merchant.ts'
import type { ProductionSystem } from './system.ts'

/** One cardholder from the form to the refund. Throws at the first thing that is not as it should be. */
export async function runTour(system: ProductionSystem, say: (line: string) => void): Promise<void> {
  const { call, merchant, network, shop } = system
  const auth = `${merchant.id}:${merchant.password}`
  const params = { origin: 'https://shop.example', save: 'ask', return: 'https://shop.example/cards' }
  const created = await call({ method: 'form.sessions.create', params, auth })
  if (created.kind !== 'result') throw new Error(`form.sessions.create: ${JSON.stringify(created)}`)
  const { session, page: link } = created.result as { session: string; page: string }
  const code = await fillHostedPage(system, link)
  say(`a card was entered into the hosted form, and its code (${String(code.length)} characters) came by SMS`)
  const shown = await call({ method: 'form.sessions.get', params: { session }, auth })
  const { state, card } = (shown.kind === 'result' ? shown.result : {}) as { state?: string; card?: { token: string; verify: boolean } }
  if (state !== 'done' || card?.verify !== true) throw new Error(`the session is ${JSON.stringify(shown)}`)
  const seller = makeMerchantCalls(system)
  const paid = await seller.pay(card.token, tourTiyin)
  if (paid.outcome !== 'paid' || paid.receiptId === null) throw new Error(`the payment is ${paid.outcome}: ${paid.why}`)
  const taken = (await network.ledger()).filter(({ tiyin }) => tiyin === tourTiyin).length
  if (taken !== 1) throw new Error(`the network took the amount ${String(taken)} times`)
  say('it paid: the network took the amount once, and the shop performed the order')
  await untilEvent(() => shop.control('seen'), 'receipt.paid', paid.receiptId)
  say('the webhook receipt.paid arrived with the right signature')
  const refunded = await seller.refund(paid.receiptId)
  if (refunded.kind !== 'result') throw new Error(`the refund: ${JSON.stringify(refunded)}`)
  await untilEvent(() => shop.control('seen'), 'receipt.cancelled', paid.receiptId)
  const left = (await network.ledger()).reduce((sum, { tiyin }) => sum + tiyin, 0)
  if (left !== 0) throw new Error(`after the refund the network still has ${String(left)} tiyin`)
  say('it was refunded: the network returned the amount, and the webhook receipt.cancelled arrived')
}

/** Returns the code. */
async function fillHostedPage({ formOrigin, phones }: ProductionSystem, link: string): Promise<string> {
  const { hostname } = new URL(formOrigin)
  const executablePath = findTestBrowser() ?? missing()
  const rules = `--host-resolver-rules=MAP ${hostname} 127.0.0.1`
  const browser = await chromium.launch({ executablePath, args: [...chromiumFlags(), rules] })
  try {
    // The example's authority is not one that browsers know.
    const page = await browser.newPage({ ignoreHTTPSErrors: true, locale: 'en-GB' })
    await page.route('https://shop.example/**', (route) => route.fulfill({ body: 'Thank you', contentType: 'text/plain' }))
    await page.goto(link)
    const pan = makeCardNumber(tourCard)
    const filled = await fillCard(page, { number: pan, expire: '0399', code: null, save: true })
    if (!filled.ok) throw new Error(`the form says: ${filled.message}`)
    let code = phones.codesOf(phoneOfCard(pan)).at(-1)
    for (let attempt = 0; code === undefined && attempt < 200; attempt++) {
      await pause(50)
      code = phones.codesOf(phoneOfCard(pan)).at(-1)
    }
    if (code === undefined) throw new Error('no SMS with a code came within 10 s')
    const form = page.frameLocator('iframe')
    await form.locator('#code').fill(code)
    await page.waitForURL('https://shop.example/**')
    return code
  } finally {
    await browser.close()
  }
}

async function untilEvent(
  seen: () => Promise<{ events: readonly { type: string; receiptId: string }[] }>,
  type: string,
  id: string,
): Promise<void> {
  for (let attempt = 0; attempt < 300; attempt++) {
    if ((await seen()).events.some((event) => event.type === type && event.receiptId === id)) return
    await pause(100)
  }
  throw new Error(`the webhook ${type} did not come within 30 s`)
}

function missing(): never {
  throw new Error("Chromium is missing: npm run peers installs Debian's chromium-headless-shell")
}

const tourTiyin = 12_345_600
const tourCard = 99_001
