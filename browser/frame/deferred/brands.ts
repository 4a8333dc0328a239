import type { CardBrand } from '@tessera/contract/frame'

import { readDigits } from '../digits.ts'
import { createHtml, type FieldView } from '../view.ts'
import { drawMark, type MarkedBrand } from './card-marks.ts'

/**
 * Puts the marks of the accepted brands beside the number. Returns a function that shows those that the number in the field can still have, and returns
 * the brand as the page gets it, which may be one that the service does not accept.
 */
export function createBrandView({ input }: FieldView, accepted: readonly CardBrand[]): () => CardBrand | null {
  const row = createHtml('span', 'brand')
  row.setAttribute('aria-hidden', 'true')
  const marks = cardBrands.flatMap(([brand]) => (accepted.includes(brand) ? [drawMark(brand)] : []))
  row.append(...marks)
  input.after(row)
  return () => {
    const digits = readDigits(input.value)
    const possible = possibleBrands(digits)
    for (const mark of marks) mark.classList.toggle('gone', !possible.some((brand) => brand === mark.dataset['brand']))
    row.classList.toggle('all', marks.filter((mark) => !mark.classList.contains('gone')).length > 1)
    const [brand = null] = digits !== '' && possible.length === 1 ? possible : []
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

/** The mark of a number or of a masked one, when its first digits say one brand. */
export function markOf(number: string): SVGElement[] {
  const [brand, ...others] = possibleBrands(number.replace(/\D.*/, ''))
  return brand === undefined || others.length > 0 ? [] : [drawMark(brand)]
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
