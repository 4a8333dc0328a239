import type { FormField } from '@tessera/contract/frame'

import type { FormTexts } from './texts.ts'

/** How a reason is shown to the cardholder: which text, at which field, and whether the same action may be retried. */
export interface ReasonDisplay {
  readonly text: keyof FormTexts
  readonly field: FormField | null
  readonly isRetryable: boolean
}

/**
 * Looks up the reasons that the form finds itself, before its deferred script is there: what is wrong with a field, and why that script cannot be loaded.
 * `describeReason` of the deferred script knows them and all others.
 */
export function describeOwnReason(reason: string): ReasonDisplay {
  const field = reason.includes('number') ? 'number' : reason.startsWith('expir') ? 'expiry' : null
  const text = reason === 'card_number_check_digit' ? 'card_number_format' : reason
  return { text: text as keyof FormTexts, field, isRetryable: field === null }
}
