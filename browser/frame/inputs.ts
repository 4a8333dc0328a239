import { formatNumber, isPan, minPanLength, readDigits, type FieldText } from './digits.ts'
import { formatExpiry, formatExpiryInput, isExpiryPast, parseExpiryText } from './expiry.ts'
import type { FormView } from './view.ts'

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
export function formatInputs({ number, expiry }: Pick<FormView, 'number' | 'expiry'>): void {
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

/** Whether the text came as a whole, from the clipboard, a message or a password manager, and not by typing its last character. */
export function isEnteredAtOnce(event: Event): boolean {
  return !(event instanceof InputEvent) || ['insertFromPaste', 'insertFromDrop', 'insertReplacementText'].includes(event.inputType)
}

/** Writes a text into an input, when it is another one, and puts the caret where it belongs. */
export function setText(input: HTMLInputElement, { text, caret }: FieldText): void {
  if (input.value !== text) input.value = text
  if (document.activeElement === input) input.setSelectionRange(caret, caret)
}
