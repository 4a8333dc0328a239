import { accountFieldKinds, type AccountFieldKind, maxAmountTiyin } from '@tessera/contract/receipt'

/** A merchant's settings, parsed from the JSON in its row. Missing members take the values of `noSettings`. */
export interface MerchantSettings {
  /** Exact origins whose pages may call. Empty: none in production, any in test. */
  readonly origins: readonly string[]
  /** Account fields of a receipt, the main one first. Empty: any field is accepted. */
  readonly accountFields: readonly AccountFieldSetting[]
  /** Tiyin. */
  readonly minAmount: number
  readonly maxAmount: number
  /** Override the service's limits; `{}` changes nothing. */
  readonly limits: MerchantLimits
  /** Whether cards.check and cards.remove require the password in the subscribe profile too. */
  readonly strictServerAuth: boolean
  /** Whether cards can be created only in a hosted form session. */
  readonly requireFormSessions: boolean
  /** Tiyin. A user of the dashboard has to confirm who they are for a refund above it. */
  readonly refundUnconfirmedMax: number
  /** Whether every user of the dashboard needs a second factor. */
  readonly requireSecondFactor: boolean
  /** The merchant API endpoint, called before a receipt is paid; null: no call is made. */
  readonly endpoint: EndpointSetting | null
  /** Shown on receipts beside the merchant's name; '' when not set. */
  readonly businessId: string
  readonly epos: { readonly merchantId: string; readonly terminalId: string }
  /** The color of the hosted page, `#rrggbb`; '' for the page's own. */
  readonly brandColor: string
  /** SHA-256 of the logo, hex; '' without one. The image is in `merchant_logos`. */
  readonly logo: string
}

export interface AccountFieldSetting {
  readonly name: string
  readonly title: { readonly en: string; readonly ru: string; readonly uz: string }
  readonly required: boolean
  /** Default: text. */
  readonly kind?: AccountFieldKind
}

export interface EndpointSetting {
  readonly url: string
  readonly login: string
  /** The sealed password, base64url; never the plaintext. */
  readonly sealedPassword: string
}

export const noSettings: MerchantSettings = Object.freeze({
  origins: [],
  accountFields: [],
  minAmount: 1,
  maxAmount: maxAmountTiyin,
  limits: {},
  strictServerAuth: false,
  requireFormSessions: false,
  refundUnconfirmedMax: 0,
  requireSecondFactor: false,
  endpoint: null,
  businessId: '',
  epos: Object.freeze({ merchantId: '', terminalId: '' }),
  brandColor: '',
  logo: '',
})

/** Parses the settings of a row. Throws `MalformedSettingsError` for anything `writeSettings` would not write, including unknown members. */
export function readSettings(json: string): MerchantSettings {
  const read = readJson(json)
  const unknownName = Object.keys(read).find((name) => !Object.hasOwn(readers, name))
  if (unknownName !== undefined) throw new MalformedSettingsError(unknownName)
  const members = Object.entries(readers).map(([name, isValid]) => {
    const value = Object.hasOwn(read, name) ? read[name] : noSettings[name as keyof MerchantSettings]
    if (!isValid(value)) throw new MalformedSettingsError(name)
    return [name, value]
  })
  return Object.freeze(Object.fromEntries(members) as MerchantSettings)
}

export function writeSettings(settings: MerchantSettings): string {
  return JSON.stringify(Object.fromEntries(Object.keys(readers).map((name) => [name, settings[name as keyof MerchantSettings]])))
}

/** Thrown for malformed merchant settings. Names the member, never its value. */
export class MalformedSettingsError extends Error {
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
  refundUnconfirmedMax: (value) => value === 0 || isAmount(value),
  requireSecondFactor: isSwitch,
  endpoint: (value) => value === null || hasTexts(value, ['url', 'login', 'sealedPassword']),
  businessId: isText,
  epos: (value) => hasTexts(value, ['merchantId', 'terminalId']),
  brandColor: (value) => typeof value === 'string' && (value === '' || brandColor.test(value)),
  logo: (value) => typeof value === 'string' && /^([0-9a-f]{64})?$/.test(value),
}

/** A color in the only form that is stored, and written into a style. */
export const brandColor = /^#[0-9a-f]{6}$/

function isAccountField(value: unknown): boolean {
  if (!isObject(value) || !(value['kind'] === undefined || isAccountFieldKind(value['kind']))) return false
  return isText(value['name']) && isSwitch(value['required']) && hasTexts(value['title'], ['en', 'ru', 'uz'])
}

export function isAccountFieldKind(value: unknown): value is AccountFieldKind {
  return accountFieldKinds.some((kind) => kind === value)
}

function hasTexts(value: unknown, names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => isText(value[name]))
}

function isListOf(value: unknown, isValid: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isValid)
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
  return isCount(value) && Number(value) >= 1 && Number(value) <= maxAmountTiyin
}

function readJson(json: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(json)
    if (isObject(read)) return read
  } catch {
    // Invalid JSON is reported like a value that is not an object.
  }
  throw new MalformedSettingsError('their beginning')
}

/** Limits of one merchant that replace the settings. Those that are absent follow the settings. */
export interface MerchantLimits {
  /** Requests in a minute, by class of operation. */
  readonly createMinuteMax?: number
  readonly verifyMinuteMax?: number
  readonly readMinuteMax?: number
  readonly writeMinuteMax?: number
  /** Cards and codes in a minute from one address of its server, which authenticates by password; the limits of addresses, blocks and distinct PANs then do not apply to it. */
  readonly serverAddressMinuteMax?: number
  /** Distinct PANs in an hour from one address of a browser. */
  readonly distinctPansHourMax?: number
}
