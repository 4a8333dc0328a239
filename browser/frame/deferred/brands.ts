import type { CardBrand } from '@tessera/contract/frame'

import { readDigits } from '../digits.ts'
import { createHtml, type FieldView } from '../view.ts'
import { drawMark, type MarkedBrand } from './card-marks.ts'

/**
 * Puts the marks of the brands beside the number. Returns a function that shows those that the number in the field can still have, and returns the brand
 * as the page gets it.
 */
export function createBrandView({ input }: FieldView): () => CardBrand | null {
  const row = createHtml('span', 'brand')
  row.setAttribute('aria-hidden', 'true')
  const marks = cardBrands.map(([brand]) => drawMark(brand))
  row.append(...marks)
  input.after(row)
  return () => {
    const digits = readDigits(input.value)
    const shown = possibleBrands(digits)
    for (const mark of marks) mark.classList.toggle('gone', !shown.some((brand) => brand === mark.dataset['brand']))
    row.classList.toggle('all', shown.length > 1)
    const [brand = null] = digits !== '' && shown.length === 1 ? shown : []
    row.dataset['brand'] = brand ?? ''
    return digits.length < reportedDigits ? null : brand
  }
}

/** The page gets the brand from here on, whichever it is: one digit says Visa, four say Uzcard. */
const reportedDigits = 4

/** The brands that a number with these first digits can have: all of them for an empty field, none for a number that only the service knows. */
export function possibleBrands(digits: string): readonly MarkedBrand[] {
  return cardBrands.flatMap(([brand, ...prefixes]) => (prefixes.some((prefix) => startsAlike(digits, prefix)) ? [brand] : []))
}

/** Whether digits begin with a number of the range, or may when more are typed. */
function startsAlike(digits: string, [low, high = low]: Prefixes): boolean {
  const length = Math.min(digits.length, low.length)
  const typed = digits.slice(0, length)
  return typed >= low.slice(0, length) && typed <= high.slice(0, length)
}

/** One prefix, or the first and the last of a range. */
type Prefixes = readonly [low: string, high?: string]

const cardBrands: readonly (readonly [MarkedBrand, ...Prefixes[]])[] = [
  ['uzcard', ['8600'], ['5614']],
  ['humo', ['9860']],
  ['visa', ['4']],
  ['mastercard', ['51', '55'], ['2221', '2720']],
  ['unionpay', ['62']],
  ['mir', ['2200', '2204']],
]
