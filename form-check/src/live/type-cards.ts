import type { Frame, Route } from 'playwright-core'

import { isNumberInput } from '../element-kinds.ts'

import { createTraceFinder, type TraceFinder } from './card-traces.ts'
import type { ProbedPage } from './probed-page.ts'

/** A public card of the test environment (docs/guides/sandbox.md). No bank ever issued it. */
export const sandboxPan = '8600069195406311'
const sandboxExpiry = '0399'

/** How far the card came in the service's form. `message`: what the form showed instead of asking for a code; '' when it showed nothing. */
export type CardTypingResult =
  { readonly stage: 'not_typed' | 'typed' | 'code_requested' } | { readonly stage: 'submitted'; readonly message: string }

/** Types the card into the service's form as a person does. With `shouldSubmit` it is submitted too, up to the SMS step. */
export async function typeIntoForm(form: Frame, { shouldSubmit }: { shouldSubmit: boolean }): Promise<CardTypingResult> {
  const number = form.locator('input[autocomplete~="cc-number"]').first()
  const expiry = form.locator('input[autocomplete~="cc-exp"]').first()
  try {
    await number.waitFor({ state: 'visible', timeout: fieldTimeoutMs })
    await number.pressSequentially(sandboxPan, { delay: keyDelayMs, timeout: fieldTimeoutMs })
    await expiry.pressSequentially(sandboxExpiry, { delay: keyDelayMs, timeout: fieldTimeoutMs })
  } catch {
    return { stage: 'not_typed' }
  }
  if (!shouldSubmit) return { stage: 'typed' }
  await expiry.press('Enter', { timeout: fieldTimeoutMs }).catch(() => undefined)
  const code = form.locator('input[autocomplete~="one-time-code"]').first()
  const message = form.locator('.fault:not(:empty):visible')
  const isCodeRequested = await code
    .filter({ visible: true })
    .or(message)
    .first()
    .waitFor({ timeout: submitTimeoutMs })
    .then(() => code.isVisible())
    .catch(() => false)
  if (isCodeRequested) return { stage: 'code_requested' }
  return { stage: 'submitted', message: (await message.allTextContents().catch(() => [])).join(' ') }
}

/**
 * Types the card into the page's own inputs, leaves each input, then presses Enter and the nearest button. From here on, requests that
 * carry the card and navigations are aborted, so that the card does not leave the machine.
 */
export async function typeIntoPageInputs(
  probed: ProbedPage,
  { isServiceFrame, shouldSubmit }: { isServiceFrame: (frame: Frame) => boolean; shouldSubmit: boolean },
): Promise<void> {
  const findTrace = createTraceFinder(sandboxPan)
  await probed.page.route('**/*', (route) => abortIfCardLeaves(route, findTrace))
  for (const frame of probed.page.frames().filter((other) => !isServiceFrame(other))) {
    const snapshot = await probed.takeSnapshot(frame)
    const inputs = (snapshot?.elements ?? []).filter(isNumberInput).slice(0, maxInputs)
    for (const { selector } of inputs) await typeIntoInput(probed, { frame, selector, shouldSubmit })
  }
}

/** Types real keys. The probe in the page sets the focus, because it reaches closed shadow roots too. */
async function typeIntoInput(
  { page, perform }: ProbedPage,
  { frame, selector, shouldSubmit }: { frame: Frame; selector: string; shouldSubmit: boolean },
): Promise<void> {
  if (!(await perform(frame, 'focus', selector))) return
  await page.keyboard.type(sandboxPan, { delay: keyDelayMs })
  await page.keyboard.press('Tab')
  if (!shouldSubmit || !(await perform(frame, 'focus', selector))) return
  await page.keyboard.press('Enter')
  await perform(frame, 'press', selector)
}

async function abortIfCardLeaves(route: Route, findTrace: TraceFinder): Promise<void> {
  const request = route.request()
  const trace = findTrace(request.url()) ?? findTrace(request.postDataBuffer()?.toString('latin1') ?? '')
  await (trace !== null || request.isNavigationRequest() ? route.abort() : route.continue()).catch(() => undefined)
}

const fieldTimeoutMs = 5000
const submitTimeoutMs = 12_000
const keyDelayMs = 5
const maxInputs = 5
