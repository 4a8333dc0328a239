import type { Frame } from 'playwright-core'

/** A public card of the test environment (docs/guides/sandbox.md). No bank ever issued it. */
export const sandboxPan = '8600069195406311'
export const sandboxExpiry = '0399'

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

const fieldTimeoutMs = 5000
const submitTimeoutMs = 12_000
const keyDelayMs = 5
