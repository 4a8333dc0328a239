import { printFacts, printTable } from './table.ts'

/** A merchant as the service tells it; never with the hash of a password. */
export interface ShownMerchant {
  readonly merchantId: string
  readonly state: string
  readonly name: string
  readonly organization: string
  readonly address: string
  readonly origins: readonly string[]
  readonly accountFields: readonly { name: string; title: { en: string; ru: string; uz: string }; required: boolean }[]
  readonly minAmount: number
  readonly maxAmount: number
  readonly limits: Readonly<Record<string, number>>
  readonly strictServerAuth: boolean
  readonly requireFormSessions: boolean
  readonly businessId: string
  readonly epos: { readonly merchantId: string; readonly terminalId: string }
  readonly endpoint: { readonly url: string; readonly login: string } | null
  readonly createdAt: string
  readonly passwords: readonly { number: number; createdAt: string; lastUsedAt: string | null; retiredAt: string | null }[]
}

/** For people: facts one a line, then fields and passwords. */
export function showMerchant(shown: ShownMerchant): string {
  const limits = Object.entries(shown.limits).map(([name, count]) => `${name} ${String(count)}`)
  const facts = printFacts({
    ...{ merchant: shown.merchantId, state: shown.state, name: shown.name, organization: shown.organization, address: shown.address },
    ...{ created: shown.createdAt, origins: shown.origins.join(' '), 'amounts, tiyin': `${shown.minAmount} to ${shown.maxAmount}` },
    ...{ limits: limits.length === 0 ? 'as the settings say' : limits.join(', ') },
    ...{ 'strict server auth': onOff(shown.strictServerAuth), 'form sessions required': onOff(shown.requireFormSessions) },
    ...{ 'business id': shown.businessId, 'EPOS merchant': shown.epos.merchantId, 'EPOS terminal': shown.epos.terminalId },
    ...{ endpoint: shown.endpoint?.url ?? '' },
  })
  const fields = shown.accountFields.map(({ name, title: { en, ru, uz }, required }) => [name, required ? 'required' : '', en, ru, uz])
  const passwords = shown.passwords.map((each) => [each.number, each.createdAt, each.lastUsedAt, each.retiredAt])
  return [
    facts,
    '',
    fields.length === 0 ? 'Account fields: any are taken.' : printTable(['account field', '', 'en', 'ru', 'uz'], fields),
    '',
    printTable(['password', 'made', 'last used', 'retired'], passwords),
  ].join('\n')
}

function onOff(isOn: boolean): string {
  return isOn ? 'on' : 'off'
}
