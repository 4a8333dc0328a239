import type { FormStep } from '@tessera/contract/frame'
import type { CodeFormat } from '@tessera/contract/verification-code'

import { brandOf, formatNumber, isPan, minPanLength, readDigits, type FieldText } from './digits.ts'
import { formatExpiry, formatExpiryInput, isExpiryPast, parseExpiryText } from './expiry.ts'
import { isEnteredAtOnce, readCodeText } from './code-field.ts'
import type { FieldView, FormView } from './view.ts'

/** Room for a month and a year with separators. */
const maxExpiryLength = 16

/** Why the number cannot be sent, as a reason; null when it can. */
export function validateNumber(text: string): string | null {
  const digits = readDigits(text)
  if (digits === '') return 'number_missing'
  return isPan(digits) ? null : digits.length < minPanLength ? 'card_number_format' : 'card_number_check_digit'
}

/** Why the expiry cannot be sent, as a reason; null when it can. */
export function validateExpiry(text: string, nowMs: number): string | null {
  if (text.trim() === '') return 'expiry_missing'
  const expiry = parseExpiryText(text)
  return expiry === null ? 'expire_format' : isExpiryPast(expiry, nowMs) ? 'expire_past' : null
}

/** Formats the fields while the cardholder types. The caret stays behind the same digit. */
export function formatInputs({ fields, brand }: FormView): void {
  const { number, expiry } = fields
  let formatted = ''
  listenForInput(number.input, (event) => {
    const isBackspace = event instanceof InputEvent && event.inputType === 'deleteContentBackward'
    const { value, selectionStart } = number.input
    const caret = selectionStart ?? value.length
    // A backspace that deleted the space between two groups is meant for the digit before it.
    const isSpaceDeleted = isBackspace && readDigits(value) === readDigits(formatted) && value.length < formatted.length
    const typed = isSpaceDeleted ? { text: value.slice(0, caret - 1) + value.slice(caret), caret: caret - 1 } : { text: value, caret }
    setText(number.input, formatNumber(typed))
    formatted = number.input.value
    showBrand(brand, formatted)
  })
  listenForInput(expiry.input, (event) => {
    const isDeleting = event instanceof InputEvent && event.inputType.startsWith('delete')
    const { value, selectionStart } = expiry.input
    const typed = { text: value, caret: selectionStart ?? value.length }
    const whole = event.type === 'input' && isEnteredAtOnce(event) ? formatExpiry(value) : null
    const { text, caret } = whole === null ? formatExpiryInput(typed, isDeleting) : { text: whole, caret: whole.length }
    setText(expiry.input, { text: text.slice(0, maxExpiryLength), caret })
  })
  expiry.input.addEventListener('blur', () => {
    const text = formatExpiry(expiry.input.value)
    if (text !== null) expiry.input.value = text
  })
}

/**
 * Calls a function when the text of an input has changed, but not while a keyboard composes it: such a keyboard enters a composition again
 * when the script has changed the text under it.
 */
export function listenForInput(input: HTMLInputElement, onInput: (event: Event) => void): void {
  input.addEventListener('input', (event) => {
    if (!(event instanceof InputEvent && event.isComposing)) onInput(event)
  })
  input.addEventListener('compositionend', onInput)
}

/** Brings the code into its format while the cardholder types. The caret stays behind the same character. */
export function formatCode({ input }: FieldView, format: CodeFormat): void {
  const { value, selectionStart } = input
  const text = readCodeText(value, format)
  const before = readCodeText(value.slice(0, selectionStart ?? value.length), format)
  if (text !== value) setText(input, { text, caret: Math.min(before.length, text.length) })
}

/** Locks the fields of a step while its call is in flight: what is typed then would not be what was sent. */
export function lockInputs({ fields, steps }: FormView, step: FormStep | null): void {
  for (const { input } of Object.values(fields)) input.readOnly = step !== null && steps[step].contains(input)
}

/** Empties every field, so that the browser restores nothing either. */
export function wipeInputs({ fields, brand }: FormView): void {
  for (const { input } of Object.values(fields)) input.value = ''
  showBrand(brand, '')
}

function showBrand(element: HTMLElement, text: string): void {
  element.textContent = brandOf(readDigits(text))
}

function setText(input: HTMLInputElement, { text, caret }: FieldText): void {
  if (input.value !== text) input.value = text
  if (document.activeElement === input) input.setSelectionRange(caret, caret)
}
