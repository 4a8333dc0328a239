import type { Frame, Route } from 'playwright-core'

import { isNumberInput } from '../words.ts'

import { makeFindTrace } from './traces.ts'
import type { WatchedPage } from './watch-page.ts'

/** A public card of the test environment (docs/guides/sandbox.md): no bank ever issued it. */
export const sandboxPan = '8600069195406311'
const sandboxExpiry = '0399'

/** How far a card came in the service's form. `said` is what the form showed when it did not ask for a code; '' when it showed nothing. */
export type TypedCard = { readonly came: 'nowhere' | 'typed' | 'asked for a code' } | { readonly came: 'sent'; readonly said: string }

/** Types into the service's form as a person does; in a test environment the card is sent too, up to the SMS step. */
export async function typeIntoForm(form: Frame, { submits }: { submits: boolean }): Promise<TypedCard> {
  const number = form.locator('input[autocomplete~="cc-number"]').first()
  const expiry = form.locator('input[autocomplete~="cc-exp"]').first()
  try {
    await number.waitFor({ state: 'visible', timeout: FIELD_MS })
    await number.pressSequentially(sandboxPan, { delay: KEY_MS, timeout: FIELD_MS })
    await expiry.pressSequentially(sandboxExpiry, { delay: KEY_MS, timeout: FIELD_MS })
  } catch {
    return { came: 'nowhere' }
  }
  if (!submits) return { came: 'typed' }
  await expiry.press('Enter', { timeout: FIELD_MS }).catch(() => undefined)
  const code = form.locator('input[autocomplete~="one-time-code"]').first()
  const fault = form.locator('.fault:not(:empty):visible')
  const isAsked = await code
    .filter({ visible: true })
    .or(fault)
    .first()
    .waitFor({ timeout: SENT_MS })
    .then(() => code.isVisible())
    .catch(() => false)
  if (isAsked) return { came: 'asked for a code' }
  return { came: 'sent', said: (await fault.allTextContents().catch(() => [])).join(' ') }
}

/**
 * Types into inputs of the page's own, leaves each, presses Enter and then the nearest button. Nothing of it is let out: what carries the card, or would
 * leave the page, is stopped.
 */
export async function typeIntoOwn(
  watched: WatchedPage,
  { isService, submits }: { isService: (frame: Frame) => boolean; submits: boolean },
): Promise<void> {
  const trace = makeFindTrace(sandboxPan)
  await watched.page.route('**/*', (route) => letOut(route, trace))
  for (const frame of watched.page.frames().filter((one) => !isService(one))) {
    const looked = await watched.look(frame)
    const inputs = (looked?.elements ?? []).filter(isNumberInput).slice(0, INPUTS_MAX)
    for (const { selector } of inputs) await typeInto(watched, { frame, selector, submits })
  }
}

/** Real keys, wherever the input is: the page's own world gives it the focus, in closed roots too. */
async function typeInto(
  { page, touch }: WatchedPage,
  { frame, selector, submits }: { frame: Frame; selector: string; submits: boolean },
): Promise<void> {
  if (!(await touch(frame, 'focus', selector))) return
  await page.keyboard.type(sandboxPan, { delay: KEY_MS })
  await page.keyboard.press('Tab')
  if (!submits || !(await touch(frame, 'focus', selector))) return
  await page.keyboard.press('Enter')
  await touch(frame, 'press', selector)
}

async function letOut(route: Route, trace: ReturnType<typeof makeFindTrace>): Promise<void> {
  const request = route.request()
  const carries = trace(request.url()) ?? trace(request.postDataBuffer()?.toString('latin1') ?? '')
  await (carries !== null || request.isNavigationRequest() ? route.abort() : route.continue()).catch(() => undefined)
}

const FIELD_MS = 5000
const SENT_MS = 12_000
const KEY_MS = 5
const INPUTS_MAX = 5
