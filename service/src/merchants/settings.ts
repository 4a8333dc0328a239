import { amountTiyinMax } from '@tessera/contract/amount'

import type { MerchantLimits } from '../limits/merchant-limits.ts'

/** What is agreed with a merchant: the JSON of its row, read. What a row does not say is as in `noSettings`. */
export interface MerchantSettings {
  /** Exact origins from which its pages may call; none: no page may in production, any in test. */
  readonly origins: readonly string[]
  /** Fields of a receipt's account, the main one first; none: any are taken. */
  readonly accountFields: readonly AccountFieldSetting[]
  /** Tiyin. */
  readonly minAmount: number
  readonly maxAmount: number
  /** In place of the service's settings; `{}`: as these say. */
  readonly limits: MerchantLimits
  /** Whether cards.check and cards.remove need the password in the subscribe profile too. */
  readonly strictServerAuth: boolean
  /** Whether a card may only be made in a session of the hosted form. */
  readonly requireFormSessions: boolean
  /** The merchant's own endpoint, asked before a receipt is paid; null: nobody is asked. */
  readonly endpoint: EndpointSetting | null
  /** What receipts tell of the merchant beside its name; '' where it is not known. */
  readonly businessId: string
  readonly epos: { readonly merchantId: string; readonly terminalId: string }
}

export interface AccountFieldSetting {
  readonly name: string
  readonly title: { readonly en: string; readonly ru: string; readonly uz: string }
  readonly required: boolean
}

export interface EndpointSetting {
  readonly url: string
  readonly login: string
  /** Sealed under the merchant's key, base64url; never the password itself. */
  readonly sealedPassword: string
}

export const noSettings: MerchantSettings = Object.freeze({
  ...{ origins: [], accountFields: [], minAmount: 1, maxAmount: amountTiyinMax, limits: {} },
  ...{ strictServerAuth: false, requireFormSessions: false, endpoint: null },
  ...{ businessId: '', epos: Object.freeze({ merchantId: '', terminalId: '' }) },
})

/** Reads the settings of a row. Throws `SettingsBroken` when they are not what `writeSettings` wrote, or name what this version does not know. */
export function readSettings(json: string): MerchantSettings {
  const read = readJson(json)
  const stranger = Object.keys(read).find((name) => !Object.hasOwn(readers, name))
  if (stranger !== undefined) throw new SettingsBroken(stranger)
  const told = Object.entries(readers).map(([name, isRight]) => {
    const value = Object.hasOwn(read, name) ? read[name] : noSettings[name as keyof MerchantSettings]
    if (!isRight(value)) throw new SettingsBroken(name)
    return [name, value]
  })
  return Object.freeze(Object.fromEntries(told) as MerchantSettings)
}

export function writeSettings(settings: MerchantSettings): string {
  return JSON.stringify(Object.fromEntries(Object.keys(readers).map((name) => [name, settings[name as keyof MerchantSettings]])))
}

/** The settings of a merchant are not what this version writes; names the member, never its value. */
export class SettingsBroken extends Error {
  override readonly name = 'SettingsBroken'

  constructor(member: string) {
    super(`a merchant's settings are broken at ${member}`)
  }
}

const readers: Readonly<Record<keyof MerchantSettings, (value: unknown) => boolean>> = {
  origins: (value) => isListOf(value, isText),
  accountFields: (value) => isListOf(value, isAccountField),
  minAmount: isAmount,
  maxAmount: isAmount,
  limits: (value) => isObject(value) && Object.values(value).every(isCount),
  strictServerAuth: isSwitch,
  requireFormSessions: isSwitch,
  endpoint: (value) => value === null || hasTexts(value, ['url', 'login', 'sealedPassword']),
  businessId: isText,
  epos: (value) => hasTexts(value, ['merchantId', 'terminalId']),
}

function isAccountField(value: unknown): boolean {
  return isObject(value) && isText(value['name']) && isSwitch(value['required']) && hasTexts(value['title'], ['en', 'ru', 'uz'])
}

function hasTexts(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => isText(value[name]))
}

function isListOf(value: unknown, isRight: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isRight)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

function isSwitch(value: unknown): boolean {
  return typeof value === 'boolean'
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function isAmount(value: unknown): boolean {
  return isCount(value) && Number(value) >= 1 && Number(value) <= amountTiyinMax
}

function readJson(json: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(json)
    if (isObject(read)) return read
  } catch {
    // Not JSON: as broken as what is no object.
  }
  throw new SettingsBroken('their beginning')
}
