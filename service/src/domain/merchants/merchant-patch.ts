import { readOrigin } from '@tessera/contract/origin'
import { accountFieldNamePattern, maxAmountTiyin } from '@tessera/contract/receipt'
import { SettingProblem, type SettingProblemCode } from '@tessera/contract/setting-problems'

import { type Logo, readLogo } from './logo.ts'
import {
  type MerchantLimits,
  brandColor,
  isAccountFieldKind,
  noSettings,
  type AccountFieldSetting,
  type MerchantSettings,
} from './settings.ts'

/** Changes to a merchant. Members left out stay unchanged. */
export interface MerchantPatch {
  readonly name?: string
  readonly organization?: string
  readonly address?: string
  readonly settings: Partial<MerchantSettings>
  /** Null removes it. */
  readonly logo?: Logo | null
}

/** Parses a patch. A `SettingProblem` says what is wrong and what to write instead. */
export function readMerchantPatch(input: Readonly<Record<string, unknown>>): MerchantPatch | SettingProblem {
  const logo = input['logo'] === undefined ? undefined : input['logo'] === null ? null : readLogo(input['logo'])
  if (logo instanceof SettingProblem) return logo
  const settings: Record<string, unknown> = logo === undefined ? {} : { logo: logo?.sha256 ?? '' }
  const texts: Record<string, string> = {}
  for (const [name, read] of Object.entries(readers)) {
    if (input[name] === undefined) continue
    const parsed = read(input[name])
    if (parsed instanceof SettingProblem) return parsed
    if (textNames.includes(name)) texts[name] = parsed.value as string
    else settings[name] = parsed.value
  }
  return logo === undefined ? { ...texts, settings } : { ...texts, settings, logo }
}

/** Merges a patch into the settings and checks that the minimum amount is not above the maximum. */
export function applyMerchantPatch(before: MerchantSettings, patch: MerchantPatch): MerchantSettings | SettingProblem {
  const settings = { ...before, ...patch.settings }
  const { minAmount, maxAmount } = settings
  if (minAmount <= maxAmount) return settings
  return new SettingProblem('amounts_crossed', minAmount, maxAmount)
}

/** A parsed value, or what is wrong with it. */
type Read = { readonly value: unknown } | SettingProblem

const textNames = ['name', 'organization', 'address']

/** One parser per member of the input. */
const readers: Readonly<Record<string, (input: unknown) => Read>> = {
  name: (input) => readText(input, 'name_length', { from: 1, to: 100 }),
  organization: (input) => readText(input, 'organization_length', { from: 0, to: 200 }),
  address: (input) => readText(input, 'address_length', { from: 0, to: 300 }),
  origins: readOrigins,
  accountFields: readAccountFields,
  minAmount: (input) => readAmount(input, 'min_amount_range', noSettings.minAmount),
  maxAmount: (input) => readAmount(input, 'max_amount_range', noSettings.maxAmount),
  limits: readLimits,
  strictServerAuth: (input) => (typeof input === 'boolean' ? { value: input } : new SettingProblem('strict_server_auth_shape')),
  requireFormSessions: (input) => (typeof input === 'boolean' ? { value: input } : new SettingProblem('require_form_sessions_shape')),
  refundUnconfirmedMax: (input) =>
    input === 0 ? { value: 0 } : readAmount(input, 'refund_unconfirmed_max_range', noSettings.refundUnconfirmedMax),
  requireSecondFactor: (input) => (typeof input === 'boolean' ? { value: input } : new SettingProblem('require_second_factor_shape')),
  businessId: (input) => readText(input, 'business_id_length', { from: 0, to: 64 }),
  epos: readEpos,
  brandColor: readBrandColor,
}

function readText(input: unknown, code: SettingProblemCode, { from, to }: { from: number; to: number }, ...more: string[]): Read {
  const text = typeof input === 'string' ? input.trim() : ''
  const isRight = typeof input === 'string' && text.length >= from && text.length <= to && !/[\p{Cc}\p{Cs}]/u.test(text)
  return isRight ? { value: text } : new SettingProblem(code, from, to, ...more)
}

function readOrigins(input: unknown): Read {
  if (!Array.isArray(input) || input.length > maxOrigins) return new SettingProblem('origins_shape', maxOrigins)
  for (const each of input as unknown[]) {
    const problem = originProblem(each)
    if (problem !== null) return problem
  }
  return { value: [...new Set(input)] }
}

/** Browsers send scheme, host and port only, and origins are compared byte for byte. */
function originProblem(input: unknown): SettingProblem | null {
  const url = typeof input === 'string' && input.length <= 255 ? URL.parse(input) : null
  if (url === null || url.host === '') return new SettingProblem('origin_shape')
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopbackHosts.includes(url.hostname)))
    return new SettingProblem('origin_not_https', url.protocol)
  if (url.username !== '' || url.password !== '') return new SettingProblem('origin_with_credentials')
  if (readOrigin(url.origin) === null) return new SettingProblem('origin_characters')
  return url.origin === input ? null : new SettingProblem('origin_not_exact', url.origin)
}

function readAccountFields(input: unknown): Read {
  if (!Array.isArray(input) || input.length > maxAccountFields) return new SettingProblem('account_fields_shape', maxAccountFields)
  const fields: AccountFieldSetting[] = []
  for (const each of input as unknown[]) {
    const field = readField(each)
    if (field instanceof SettingProblem) return field
    if (fields.some(({ name }) => name === field.name)) return new SettingProblem('account_field_duplicate', field.name)
    fields.push(field)
  }
  return { value: fields }
}

function readField(input: unknown): AccountFieldSetting | SettingProblem {
  if (!isObject(input)) return new SettingProblem('account_field_shape')
  const unknownName = Object.keys(input).find((name) => !['name', 'title', 'required', 'kind'].includes(name))
  if (unknownName !== undefined) return new SettingProblem('account_field_member_unknown', unknownName.slice(0, 64))
  const { name, title, required = false, kind = 'text' } = input
  if (typeof name !== 'string' || !accountFieldName.test(name)) return new SettingProblem('account_field_name')
  if (typeof required !== 'boolean') return new SettingProblem('account_field_required', name)
  if (!isAccountFieldKind(kind)) return new SettingProblem('account_field_kind', name)
  if (!isObject(title)) return new SettingProblem('account_field_titles', name)
  const titles = ['en', 'ru', 'uz'].map((language) =>
    readText(title[language], 'account_field_title_length', { from: 1, to: 100 }, language, name),
  )
  const problem = titles.find((each) => each instanceof SettingProblem)
  if (problem !== undefined) return problem
  const [en, ru, uz] = titles.map((each) => (each instanceof SettingProblem ? '' : (each.value as string)))
  const field = { name, title: { en: en ?? '', ru: ru ?? '', uz: uz ?? '' }, required }
  return kind === 'reference' ? { ...field, kind } : field
}

/** Null resets the amount to its default. */
function readAmount(input: unknown, code: SettingProblemCode, defaultAmount: number): Read {
  if (input === null) return { value: defaultAmount }
  const isRight = typeof input === 'number' && Number.isSafeInteger(input) && input >= 1 && input <= maxAmountTiyin
  return isRight ? { value: input } : new SettingProblem(code, maxAmountTiyin)
}

function readLimits(input: unknown): Read {
  if (!isObject(input)) return new SettingProblem('limits_shape', limitList)
  for (const [name, count] of Object.entries(input)) {
    if (!Object.hasOwn(limitNames, name)) return new SettingProblem('limit_unknown', name.slice(0, 64), limitList)
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 1 || count > maxLimit)
      return new SettingProblem('limit_range', name, maxLimit)
  }
  return { value: input }
}

function readEpos(input: unknown): Read {
  if (!isObject(input)) return new SettingProblem('epos_shape')
  const merchantId = readText(input['merchantId'] ?? '', 'epos_merchant_id_length', { from: 0, to: 64 })
  const terminalId = readText(input['terminalId'] ?? '', 'epos_terminal_id_length', { from: 0, to: 64 })
  if (merchantId instanceof SettingProblem) return merchantId
  return terminalId instanceof SettingProblem ? terminalId : { value: { merchantId: merchantId.value, terminalId: terminalId.value } }
}

/** Null and '' reset it. */
function readBrandColor(input: unknown): Read {
  const color = input === null ? '' : typeof input === 'string' ? input.trim().toLowerCase() : 'x'
  const whole = /^#[0-9a-f]{3}$/.test(color) ? color.replace(/[0-9a-f]/g, '$&$&') : color
  return whole === '' || brandColor.test(whole) ? { value: whole } : new SettingProblem('brand_color_shape')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every limit that can be set per merchant; the compiler reports a missing one. */
const limitNames: Readonly<Record<keyof MerchantLimits, true>> = {
  createMinuteMax: true,
  verifyMinuteMax: true,
  readMinuteMax: true,
  writeMinuteMax: true,
  serverAddressMinuteMax: true,
  distinctPansHourMax: true,
}

const limitList = Object.keys(limitNames).join(', ')
const accountFieldName = new RegExp(accountFieldNamePattern)
const loopbackHosts = ['localhost', '127.0.0.1', '[::1]']
const maxOrigins = 20
const maxAccountFields = 20
const maxLimit = 1_000_000_000
