import { amountTiyinMax } from '@tessera/contract/amount'

import type { MerchantLimits } from '../limits/merchant-limits.ts'

import { noSettings, type AccountFieldSetting, type MerchantSettings } from './settings.ts'

/** What an operator wants of a merchant; what is left out stays as it is. */
export interface MerchantWish {
  readonly name?: string
  readonly organization?: string
  readonly address?: string
  readonly settings: Partial<MerchantSettings>
}

/** Reads a wish out of what was said. A sentence says what is wrong with it, and what to write instead. */
export function readWish(said: Readonly<Record<string, unknown>>): MerchantWish | string {
  const settings: Record<string, unknown> = {}
  const texts: Record<string, string> = {}
  for (const [name, read] of Object.entries(readers)) {
    if (said[name] === undefined) continue
    const wanted = read(said[name])
    if (typeof wanted === 'string') return wanted
    if (textNames.includes(name)) texts[name] = wanted.value as string
    else settings[name] = wanted.value
  }
  return { ...texts, settings: settings }
}

/** Holds what is wanted together with what is there already: the smallest amount is not above the largest. */
export function joinWish(before: MerchantSettings, wish: MerchantWish): MerchantSettings | string {
  const settings = { ...before, ...wish.settings }
  const { minAmount, maxAmount } = settings
  if (minAmount <= maxAmount) return settings
  return `The smallest amount (${String(minAmount)} tiyin) would be above the largest (${String(maxAmount)} tiyin): give both.`
}

/** A value that was read; a sentence where it could not be. */
type Read = { readonly value: unknown } | string

const textNames = ['name', 'organization', 'address']

/** By the members of what is said; the settings by their own names. */
const readers: Readonly<Record<string, (said: unknown) => Read>> = {
  name: (said) => readText(said, 'A name', { from: 1, to: 100 }),
  organization: (said) => readText(said, 'An organization', { from: 0, to: 200 }),
  address: (said) => readText(said, 'An address', { from: 0, to: 300 }),
  origins: readOrigins,
  accountFields: readAccountFields,
  minAmount: (said) => readAmount(said, 'The smallest amount', noSettings.minAmount),
  maxAmount: (said) => readAmount(said, 'The largest amount', noSettings.maxAmount),
  limits: readLimits,
  strictServerAuth: (said) => (typeof said === 'boolean' ? { value: said } : 'Strict server auth is on or off.'),
  requireFormSessions: (said) => (typeof said === 'boolean' ? { value: said } : 'Form sessions are required (on) or not (off).'),
  businessId: (said) => readText(said, 'A business id', { from: 0, to: 64 }),
  epos: readEpos,
}

function readText(said: unknown, what: string, { from, to }: { from: number; to: number }): Read {
  const text = typeof said === 'string' ? said.trim() : ''
  const isRight = typeof said === 'string' && text.length >= from && text.length <= to && !/[\p{Cc}\p{Cs}]/u.test(text)
  return isRight ? { value: text } : `${what} has ${String(from)} to ${String(to)} characters, none of them a control character.`
}

function readOrigins(said: unknown): Read {
  if (!Array.isArray(said) || said.length > originsMax) return `Origins are a list of ${String(originsMax)} at most.`
  for (const each of said as unknown[]) {
    const fault = faultOfOrigin(each)
    if (fault !== null) return fault
  }
  return { value: [...new Set(said)] }
}

/** Browsers send scheme, host and port, nothing else, and they are compared letter for letter. */
function faultOfOrigin(said: unknown): string | null {
  const url = typeof said === 'string' && said.length <= 255 ? URL.parse(said) : null
  if (url === null || url.host === '') return 'An origin is a scheme and a host, as a browser sends it: https://shop.example'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && hereAlone.includes(url.hostname)))
    return `An origin is https (http only for this machine, such as http://localhost:3000), not ${url.protocol}//`
  if (url.username !== '' || url.password !== '') return 'An origin has no name and no password before its host.'
  return url.origin === said ? null : `An origin is scheme, host and port alone: write ${url.origin}`
}

function readAccountFields(said: unknown): Read {
  if (!Array.isArray(said) || said.length > fieldsMax) return `Account fields are a list of ${String(fieldsMax)} at most. ${fieldShape}`
  const fields: AccountFieldSetting[] = []
  for (const each of said as unknown[]) {
    const field = readField(each)
    if (typeof field === 'string') return field
    if (fields.some(({ name }) => name === field.name)) return `Two account fields are named "${field.name}".`
    fields.push(field)
  }
  return { value: fields }
}

function readField(said: unknown): AccountFieldSetting | string {
  if (!isObject(said)) return `An account field is an object. ${fieldShape}`
  const stranger = Object.keys(said).find((name) => !['name', 'title', 'required'].includes(name))
  if (stranger !== undefined) return `An account field has no member "${stranger.slice(0, 64)}". ${fieldShape}`
  const { name, title, required = false } = said
  if (typeof name !== 'string' || !/^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(name))
    return 'The name of an account field has letters, digits and _, begins with no digit, and has 64 characters at most.'
  if (typeof required !== 'boolean') return `Account field "${name}": required is true or false.`
  if (!isObject(title)) return `Account field "${name}" wants a title in three languages. ${fieldShape}`
  const titles = ['en', 'ru', 'uz'].map((language) => readText(title[language], `The ${language} title of "${name}"`, { from: 1, to: 100 }))
  const fault = titles.find((each) => typeof each === 'string')
  if (fault !== undefined) return fault
  const [en, ru, uz] = titles.map((each) => (typeof each === 'string' ? each : (each.value as string)))
  return { name, title: { en: en ?? '', ru: ru ?? '', uz: uz ?? '' }, required }
}

/** Null: as without any. */
function readAmount(said: unknown, what: string, byDefault: number): Read {
  if (said === null) return { value: byDefault }
  const isRight = typeof said === 'number' && Number.isSafeInteger(said) && said >= 1 && said <= amountTiyinMax
  return isRight ? { value: said } : `${what} is a whole number of tiyin from 1 to ${String(amountTiyinMax)} (1 so'm is 100 tiyin).`
}

function readLimits(said: unknown): Read {
  if (!isObject(said)) return `Limits are an object. ${limitShape}`
  for (const [name, count] of Object.entries(said)) {
    if (!Object.hasOwn(limitNames, name)) return `There is no limit "${name.slice(0, 64)}". ${limitShape}`
    if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 1 || count > countMax)
      return `The limit ${name} is a whole number from 1 to ${String(countMax)}.`
  }
  return { value: said }
}

function readEpos(said: unknown): Read {
  if (!isObject(said)) return 'An EPOS is a merchant id and a terminal id.'
  const merchantId = readText(said['merchantId'] ?? '', 'The merchant id of an EPOS', { from: 0, to: 64 })
  const terminalId = readText(said['terminalId'] ?? '', 'The terminal id of an EPOS', { from: 0, to: 64 })
  if (typeof merchantId === 'string') return merchantId
  return typeof terminalId === 'string' ? terminalId : { value: { merchantId: merchantId.value, terminalId: terminalId.value } }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every limit that may be agreed; the compiler asks for new ones here. */
const limitNames: Readonly<Record<keyof MerchantLimits, true>> = {
  ...{ createMinuteMax: true, verifyMinuteMax: true, readMinuteMax: true, writeMinuteMax: true },
  ...{ serverAddressMinuteMax: true, distinctPansHourMax: true },
}

const fieldShape = 'It is: [{"name":"order_id","title":{"en":"Order","ru":"Заказ","uz":"Buyurtma"},"required":true}]'
const limitShape = `It is an object of: ${Object.keys(limitNames).join(', ')}.`
const hereAlone = ['localhost', '127.0.0.1', '[::1]']
const originsMax = 20
const fieldsMax = 20
const countMax = 1_000_000_000
