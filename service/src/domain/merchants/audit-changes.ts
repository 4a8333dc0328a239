import type { AuditChange } from '../../store/audit.ts'
import type { MerchantRow } from '../../store/merchants.ts'

import { noSettings, type EndpointSetting } from './settings.ts'

/** What a change of a merchant changed, from what to what. Of passwords only numbers, scopes and labels, never a value. `before` is null for a new merchant. */
export function merchantAuditChanges(before: MerchantRow | null, after: MerchantRow): AuditChange[] {
  const [previous, current] = [shownOf(before), shownOf(after)]
  const names = [...new Set([...previous.keys(), ...current.keys()])].sort()
  const changes = names.map((name) => ({ name, from: previous.get(name) ?? null, to: current.get(name) ?? null }))
  return changes.filter(({ from, to }) => from !== to).concat(endpointPasswordChange(before, after))
}

/** The settings as text; what is empty is not in it. A new merchant had the defaults. */
function shownOf(row: MerchantRow | null): ReadonlyMap<string, string> {
  if (row === null) return new Map(shownSettings(noSettings))
  const { state, name, organization, address } = row
  const credentials = row.credentials
    .filter(({ retiredAt }) => retiredAt === null)
    .map(({ number, scope, label }) => `${number} ${scope}${label === '' ? '' : ` “${label}”`}`)
    .join(', ')
  const details = Object.entries({ state, name, organization, address, credentials }).filter(([, text]) => text !== '')
  return new Map([...details, ...shownSettings(readMembers(row))])
}

function shownSettings(settings: object): (readonly [name: string, text: string])[] {
  const shown = Object.entries(settings).map(([member, value]) => [snakeCase(member), textOf(member, value)] as const)
  return shown.filter(([, text]) => text !== '')
}

function textOf(member: string, value: unknown): string {
  if (member === 'endpoint') return value === null ? '' : describeEndpoint(value as EndpointSetting)
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ')
  const text = JSON.stringify(value)
  return text === '{}' || text === '[]' ? '' : text
}

/** Without its password and its query, which may contain a secret. */
function describeEndpoint({ url, login }: EndpointSetting): string {
  return `${urlForAudit(url)} (${login})`
}

/** A URL without user, password, query and fragment. */
export function urlForAudit(text: string): string {
  const url = URL.parse(text)
  return url === null ? '' : `${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`
}

/** A new password under the same URL would otherwise look like no change. */
function endpointPasswordChange(before: MerchantRow | null, after: MerchantRow): AuditChange[] {
  const [previous, current] = [sealedPasswordOf(before), sealedPasswordOf(after)]
  return previous === current ? [] : [{ name: 'endpoint_password', from: stateOf(previous), to: stateOf(current) }]
}

function sealedPasswordOf(row: MerchantRow | null): string | null {
  const endpoint = row === null ? null : (readMembers(row)['endpoint'] as EndpointSetting | null | undefined)
  return endpoint?.sealedPassword ?? null
}

function stateOf(password: string | null): string | null {
  return password === null ? null : '•••'
}

function readMembers({ settings }: MerchantRow): Readonly<Record<string, unknown>> {
  return JSON.parse(settings) as Readonly<Record<string, unknown>>
}

function snakeCase(member: string): string {
  return member.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)
}
