import { brandOf, groupNumber, isPan, panLengthMin, readDigits, type Typed } from './digits.ts'
import { groupExpiry, isPast, readExpiryText, writeExpiry } from './expiry.ts'
import type { View } from './view.ts'

/** What is wrong with a field, as a reason; null when it can be sent. */
export function judgeNumber(text: string): string | null {
  const digits = readDigits(text)
  if (digits === '') return 'number_missing'
  return isPan(digits) ? null : digits.length < panLengthMin ? 'card_number_format' : 'card_number_check_digit'
}

export function judgeExpiry(text: string, nowMs: number): string | null {
  if (text.trim() === '') return 'expiry_missing'
  const expiry = readExpiryText(text)
  return expiry === null ? 'expire_format' : isPast(expiry, nowMs) ? 'expire_past' : null
}

/** Shapes what is typed as it is typed, and keeps the caret behind the same digit. */
export function shapeInputs({ fields, brand }: View): void {
  const { number, expiry, code } = fields
  let written = ''
  number.input.addEventListener('input', (event) => {
    const isBack = event instanceof InputEvent && event.inputType === 'deleteContentBackward'
    const { value, selectionStart } = number.input
    const caret = selectionStart ?? value.length
    // Who deletes the blank between two groups means the digit before it.
    const isBlankGone = isBack && readDigits(value) === readDigits(written) && value.length < written.length
    put(
      number.input,
      groupNumber(isBlankGone ? { text: value.slice(0, caret - 1) + value.slice(caret), caret: caret - 1 } : { text: value, caret }),
    )
    written = number.input.value
    showBrand(brand, written)
  })
  expiry.input.addEventListener('input', (event) => {
    const isDeleting = event instanceof InputEvent && event.inputType.startsWith('delete')
    const { value, selectionStart } = expiry.input
    put(expiry.input, groupExpiry({ text: value, caret: selectionStart ?? value.length }, isDeleting))
  })
  expiry.input.addEventListener('blur', () => {
    const written = writeExpiry(expiry.input.value)
    if (written !== null) expiry.input.value = written
  })
  code.input.addEventListener('input', () => {
    const digits = readDigits(code.input.value).slice(0, 6)
    if (digits !== code.input.value) code.input.value = digits
  })
}

/** Empties what was typed, and what the browser would restore. */
export function wipeInputs({ fields, brand }: View): void {
  for (const { input } of Object.values(fields)) input.value = ''
  showBrand(brand, '')
}

function showBrand(brand: HTMLElement, text: string): void {
  const known = brandOf(readDigits(text))
  brand.textContent = known === null ? '' : brandNames[known]
}

function put(input: HTMLInputElement, { text, caret }: Typed): void {
  if (input.value !== text) input.value = text
  if (document.activeElement === input) input.setSelectionRange(caret, caret)
}

const brandNames = { uzcard: 'UZCARD', humo: 'HUMO', mir: 'МИР', visa: 'VISA', mastercard: 'Mastercard', unionpay: 'UnionPay' } as const
