import type { CardBrand } from '@tessera/contract/frame'

import { readDigits } from '../digits.ts'
import { createHtml, type FieldView } from '../view.ts'

/** Puts the brand beside the number. Returns a function that shows the brand of the number in the field, and returns it as the page gets it. */
export function createBrandView({ input }: FieldView): () => CardBrand | null {
  const brand = createHtml('span', 'brand')
  brand.setAttribute('aria-hidden', 'true')
  input.after(brand)
  return () => {
    const digits = readDigits(input.value)
    brand.textContent = brandOf(digits)
    return digits.length < reportedDigits ? null : (findBrand(digits)?.[1] ?? null)
  }
}

/** The page gets the brand from here on, whichever it is: one digit says Visa, four say Uzcard. */
const reportedDigits = 4

/** The brand of a number by its prefix; empty when only the service knows it. */
export function brandOf(digits: string): string {
  return findBrand(digits)?.[0] ?? ''
}

function findBrand(digits: string): (typeof brands)[number] | undefined {
  return brands.find(([, , prefix]) => prefix.test(digits))
}

const brands: readonly (readonly [shown: string, brand: CardBrand, prefix: RegExp])[] = [
  ['UZCARD', 'uzcard', /^(8600|5614)/],
  ['HUMO', 'humo', /^9860/],
  ['МИР', 'mir', /^220[0-4]/],
  ['UnionPay', 'unionpay', /^62/],
  ['VISA', 'visa', /^4/],
  ['Mastercard', 'mastercard', /^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/],
]
