import { readDigits } from '../digits.ts'
import { createHtml, type FieldView } from '../view.ts'

/** Puts the brand beside the number. Returns a function that shows the brand of the number in the field. */
export function createBrandView({ input }: FieldView): () => void {
  const brand = createHtml('span', 'brand')
  brand.setAttribute('aria-hidden', 'true')
  input.after(brand)
  return () => {
    brand.textContent = brandOf(readDigits(input.value))
  }
}

/** The brand of a number by its prefix; empty when only the service knows it. */
export function brandOf(digits: string): string {
  return brands.find(([, prefix]) => prefix.test(digits))?.[0] ?? ''
}

const brands: readonly (readonly [brand: string, prefix: RegExp])[] = [
  ['UZCARD', /^(8600|5614)/],
  ['HUMO', /^9860/],
  ['МИР', /^220[0-4]/],
  ['UnionPay', /^62/],
  ['VISA', /^4/],
  ['Mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
]
