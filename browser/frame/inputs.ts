import type { CodeFormat } from '@tessera/contract/verification-code'

import { brandOf, formatNumber, isPan, minPanLength, readDigits, type FieldText } from './digits.ts'
import { formatExpiry, formatExpiryInput, isExpiryPast, parseExpiryText } from './expiry.ts'
import { readCodeText } from './code-field.ts'
import type { FieldView, FormView } from './view.ts'

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
  number.input.addEventListener('input', (event) => {
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
  expiry.input.addEventListener('input', (event) => {
    const isDeleting = event instanceof InputEvent && event.inputType.startsWith('delete')
    const { value, selectionStart } = expiry.input
    setText(expiry.input, formatExpiryInput({ text: value, caret: selectionStart ?? value.length }, isDeleting))
  })
  expiry.input.addEventListener('blur', () => {
    const text = formatExpiry(expiry.input.value)
    if (text !== null) expiry.input.value = text
  })
}

/** Brings the code into its format while the cardholder types. The caret stays behind the same character. */
export function formatCode({ input }: FieldView, format: CodeFormat): void {
  const { value, selectionStart } = input
  const text = readCodeText(value, format)
  const before = readCodeText(value.slice(0, selectionStart ?? value.length), format)
  if (text !== value) setText(input, { text, caret: Math.min(before.length, text.length) })
}

/** Empties every field, so that the browser restores nothing either. */
export function wipeInputs({ fields, brand }: FormView): void {
  for (const { input } of Object.values(fields)) input.value = ''
  showBrand(brand, '')
}

function showBrand(element: HTMLElement, text: string): void {
  const brand = brandOf(readDigits(text))
  element.textContent = brand === null ? '' : brandNames[brand]
}

function setText(input: HTMLInputElement, { text, caret }: FieldText): void {
  if (input.value !== text) input.value = text
  if (document.activeElement === input) input.setSelectionRange(caret, caret)
}

const brandNames = { uzcard: 'UZCARD', humo: 'HUMO', mir: 'МИР', visa: 'VISA', mastercard: 'Mastercard', unionpay: 'UnionPay' } as const
