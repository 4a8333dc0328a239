import type { AccountFieldSetting, MerchantSettings } from '../domain/merchants/settings.ts'

type AccountValues = Readonly<Record<string, string | number | null>>

/**
 * The `account` of a receipt that is made to try something: `given`, as far as the merchant still takes these fields, and a value of its own for every
 * required field that is missing.
 */
export function sampleAccount(fields: readonly AccountFieldSetting[], given: AccountValues = {}): Record<string, string | number | null> {
  if (fields.length === 0) return { ...given }
  const isGiven = (name: string): boolean => Object.hasOwn(given, name) && given[name] !== null && given[name] !== ''
  return Object.fromEntries(
    fields
      .filter(({ name, required }) => required || isGiven(name))
      .map(({ name }) => [name, isGiven(name) ? (given[name] ?? null) : sampleValue]),
  )
}

/** Amount and account of a receipt that this merchant's settings accept: 5,000 so'm where they do. */
export function exampleReceipt({
  accountFields,
  minAmount,
  maxAmount,
}: Pick<MerchantSettings, 'accountFields' | 'minAmount' | 'maxAmount'>) {
  const account = accountFields.length === 0 ? { order_id: '197' } : sampleAccount(accountFields)
  return { amountTiyin: Math.min(maxAmount, Math.max(minAmount, usualAmountTiyin)), account }
}

const usualAmountTiyin = 500_000
const sampleValue = 'test-1'
