import type { Page, Route } from 'playwright-core'

import { pressInFrame } from '../tools/press-in-frame.ts'
import { enterCard, enterCode, type OpenForm } from './form.fixture.ts'

/** Called in each state, with its name. */
export type StateVisitor = (state: string) => Promise<void>

/** Replaces replies of the service, so that a page can be brought into any state. Methods without a replacement are answered by the service. */
export interface ReplyStub {
  /** The next calls of `method` fail for this reason. `retryAfterMs`: as the service says when another attempt is allowed. */
  fail: (method: string, reason: string, retryAfterMs?: number) => void
  /** The next calls of `method` get no response, until the page gives up or `restore`. */
  hold: (method: string) => void
  /** Changes the result of the next calls of `method`. */
  change: (method: string, change: (result: Record<string, unknown>) => object) => void
  restore: () => void
}

export async function stubReplies(page: Page): Promise<ReplyStub> {
  const handlers = new Map<string, (route: Route) => Promise<void>>()
  await page.route('**/api/*', async (route) => {
    const handle = handlers.get(new URL(route.request().url()).pathname.slice('/api/'.length))
    await (handle ?? ((each: Route) => each.continue()))(route)
  })
  return {
    fail(method, reason, retryAfterMs) {
      handlers.set(method, (route) =>
        reason === 'offline'
          ? route.abort()
          : route.fulfill({ json: { jsonrpc: '2.0', id: 1, error: { code: -31000, reason, retry_after: retryAfterMs } } }),
      )
    },
    hold: (method) => void handlers.set(method, () => Promise.resolve()),
    change(method, change) {
      handlers.set(method, async (route) => {
        const response = await route.fetch()
        const { result, ...rest } = (await response.json()) as { result: Record<string, unknown> }
        await route.fulfill({ response, json: { ...rest, result: change(result) } })
      })
    },
    restore: () => handlers.clear(),
  }
}

/** Everything that the card step can say about a card, the service or the session. */
const cardReasons = [
  'card_number_no_route',
  'sms_not_connected',
  'card_blocked',
  'card_expired',
  'holder_mismatch',
  'system_error',
  'network_timeout',
  'service_error',
  'offline',
  'too_many_requests_limit',
  'sms_not_sent',
  'merchant_unknown',
  'session_ended',
  'session_used_up',
  'session_done',
  'session_unknown',
  'card_not_found',
] as const

const success = '8600069195406311'
const slowMs = 3000
const resendWaitMs = 60_000

/** Leads a form whose page has an installed clock through every state, from the empty fields to the confirmed card. */
export async function visitCardStates(opened: OpenForm, stub: ReplyStub, visit: StateVisitor): Promise<void> {
  const { form, page } = opened
  const [number, expiry] = [form.locator('#number'), form.locator('#expiry')]
  await opened.waitForEvent('ready')
  await opened.waitUntilComplete()
  await visit('empty')
  await number.pressSequentially('8600 06')
  await form.locator('.brand[data-brand=uzcard]').waitFor()
  await visit('typing')
  await number.fill('')
  await pressInFrame(form.locator('form.card button.main'))
  await form.locator('#number-fault:not(:empty)').waitFor()
  await visit('missing')
  await number.fill('8600 0691 9540 6312')
  await expiry.fill('03/20')
  await pressInFrame(form.locator('form.card button.main'))
  await form.locator('#expiry-fault:not(:empty)').waitFor()
  await visit('invalid')
  await number.fill(success)
  await expiry.fill('03/99')
  await number.blur()
  await visit('filled')

  stub.hold('cards.create')
  await pressInFrame(form.locator('form.card button.main'))
  await opened.waitForEvent('busy')
  await visit('busy')
  await page.clock.fastForward(slowMs)
  await form.locator('.progress .plain:not([hidden])').waitFor()
  await visit('slow')
  await pressInFrame(form.locator('.progress .plain'))
  await form.locator('.fault.whole:not(:empty)').waitFor()
  await visit('stopped')
  for (const reason of cardReasons) {
    stub.fail('cards.create', reason)
    const count = (await opened.eventValues('error')).length
    await enterCard(opened, success)
    await opened.waitForEvents('error', count + 1)
    await visit(reason)
  }
  stub.restore()
}

/** Leads a form through every state of the code step, to the confirmed card. */
export async function visitCodeStates(opened: OpenForm, stub: ReplyStub, visit: StateVisitor): Promise<void> {
  const { form, page } = opened
  const code = form.locator('#code')
  const fault = form.locator('#code-fault:not(:empty)')
  await opened.waitForEvent('ready')
  await enterCard(opened, success)
  await code.waitFor()
  await visit('code')
  await code.pressSequentially('12')
  await pressInFrame(form.locator('form.code button.main'))
  await fault.waitFor()
  await visit('code incomplete')
  for (const [reason, retryAfterMs] of [
    ['wrong_code', 0],
    ['tries_used_up', 0],
    ['network_timeout', 0],
  ] as const) {
    stub.fail('cards.verify', reason, retryAfterMs)
    const count = (await opened.eventValues('error')).length
    await enterCode(opened, '111111')
    await opened.waitForEvents('error', count + 1)
    await visit(`code: ${reason}`)
  }
  stub.restore()
  await page.clock.fastForward(resendWaitMs)
  await form.locator('.resend:enabled').waitFor()
  await pressInFrame(form.locator('.help summary'))
  await visit('no SMS')
  await pressInFrame(form.locator('.help summary'))
  stub.fail('cards.get_verify_code', 'resend_too_soon', resendWaitMs)
  await pressInFrame(form.locator('.resend'))
  await form.locator('.resend:disabled').waitFor()
  await visit('too soon')
  stub.restore()
  stub.fail('cards.verify', 'verification_stopped', 10 * 60_000)
  await enterCode(opened, '111111')
  await form.locator('#code:disabled').waitFor()
  await visit('stopped for a while')
  stub.restore()

  stub.change('cards.get_verify_code', (result) => ({
    ...result,
    code: { length: 6, alphabet: '23456789BCDFGHJKMNPQRSTVWXZ', lifetime: 40_000 },
  }))
  await pressInFrame(form.locator('.back'))
  await enterCard(opened, success)
  await form.locator('#code-hint').waitFor()
  await visit('code of letters')
  await page.clock.fastForward(resendWaitMs)
  await fault.waitFor()
  await visit('code expired')
  stub.restore()
  await pressInFrame(form.locator('.back'))
  await enterCard(opened, success)
  await code.waitFor()
  stub.hold('cards.verify')
  await enterCode(opened)
  await form.locator('.root[aria-busy=true]').waitFor()
  await visit('code busy')
  await page.clock.fastForward(slowMs)
  await pressInFrame(form.locator('.progress .plain:not([hidden])'))
  await form.locator('.fault.whole:not(:empty)').waitFor()
  await visit('code stopped')
  stub.restore()
  await enterCode(opened)
  await form.locator('.done h2').waitFor()
  await visit('confirmed')
}

/** Leads a form whose session offers two cards, one of them expired, through the choice. */
export async function visitSavedCardStates(opened: OpenForm, visit: StateVisitor): Promise<void> {
  const { form } = opened
  await form.locator('.saved').waitFor()
  await visit('saved cards')
  await pressInFrame(form.locator('.remove').first())
  await form.locator('.question').waitFor()
  await visit('remove?')
  await pressInFrame(form.locator('.keep'))
  await pressInFrame(form.locator('.add'))
  await form.locator('#number').waitFor()
  await visit('another card')
  await pressInFrame(form.locator('.to-list'))
  await pressInFrame(form.locator('form.card button.main'))
  await form.locator('.done h2').waitFor()
  await visit('picked')
}
