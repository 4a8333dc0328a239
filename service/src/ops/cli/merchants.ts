import type { Result } from '@tessera/contract/operations'

import { ExitError } from '../exits.ts'

import { printFields, printTable, requireArguments, type Command, type CommandInput } from './command.ts'
import { callService } from './control-client.ts'
import { patchOptions, readPatchOptions } from './merchant-options.ts'

const yesOption = { name: 'yes', meaning: 'Confirm.' }

export const merchantsCreate: Command = {
  name: 'merchants create',
  summary: 'Creates a merchant, and prints its id and its password once.',
  details:
    'Only a keyed hash of the password is stored: it cannot be printed again. It belongs on the merchant’s server, never in a page or an app.',
  options: patchOptions,
  async run(input) {
    const patch = readPatchOptions(input)
    if (patch['name'] === undefined)
      throw new ExitError('usage', 'The name for cardholders is missing: tessera merchants create --name "My shop"')
    const data = await callService(input, 'operator.merchants.create', { patch })
    return { exit: 'done', data, text: `Merchant ${data.merchantId} (${data.name}) was created.\n${passwordLines(data)}` }
  },
}

export const merchantsList: Command = {
  name: 'merchants list',
  summary: 'Lists the merchants in the order of their ids.',
  options: [
    { name: 'after', takes: '<id>', meaning: 'Start after this id: the last one of the previous page.' },
    { name: 'count', takes: '<n>', meaning: 'How many; 100 by default, 500 at most.' },
  ],
  async run(input) {
    const count = integerOption(input, 'count', 100)
    if (count > 500) throw new ExitError('usage', '--count must be a whole number from 1 to 500.')
    const after = input.options.get('after') ?? ''
    if (after !== '' && !/^[0-9a-f]{24}$/.test(after)) throw new ExitError('usage', '--after must be a merchant id: 24 hex digits.')
    const data = await callService(input, 'operator.merchants.list', { after, count })
    const rows = data.merchants.map((each) => [each.merchantId, each.state, each.createdAt, each.name])
    const more =
      rows.length === count ? `\nThere may be more: tessera merchants list --after ${data.merchants.at(-1)?.merchantId ?? ''}` : ''
    const text = rows.length === 0 ? 'No merchants.' : printTable(['merchant', 'state', 'created', 'name'], rows) + more
    return { exit: 'done', data, text }
  },
}

export const merchantsShow: Command = {
  name: 'merchants show',
  args: '<merchant>',
  summary: 'Shows the settings of a merchant, and when its passwords were created, last used and retired.',
  details: 'The last use is recorded at most once an hour.',
  async run(input) {
    const data = await callService(input, 'operator.merchants.get', { merchantId: merchantArgument(input, 'show', null) })
    return { exit: 'done', data, text: printMerchant(data) }
  },
}

export const merchantsSet: Command = {
  name: 'merchants set',
  args: '<merchant>',
  summary: 'Changes the settings of a merchant that are given.',
  details: 'Takes effect at once, and within five seconds in other processes on the same database.',
  options: patchOptions,
  async run(input) {
    const [merchantId = ''] = requireArguments(input.args, 1, 1, 'merchants set <merchant> --name … and so on')
    const patch = readPatchOptions(input)
    if (Object.keys(patch).length === 0) throw new ExitError('usage', 'Nothing to change was given: see tessera merchants set --help')
    const data = await callService(input, 'operator.merchants.change', { merchantId, patch })
    return { exit: 'done', data, text: printMerchant(data) }
  },
}

export const merchantsBlock: Command = {
  name: 'merchants block',
  args: '<merchant>',
  summary: 'Blocks a merchant: all its requests are refused with -31601.',
  details: 'Payments in progress are finished, and its events are delivered. To undo: tessera merchants unblock',
  options: [yesOption],
  async run(input) {
    const merchantId = merchantArgument(input, 'block', 'All requests of this merchant will be refused')
    const data = await callService(input, 'operator.merchants.block', { merchantId })
    return { exit: 'done', data, text: `Merchant ${merchantId} (${data.name}) is blocked: its requests are refused.` }
  },
}

export const merchantsUnblock: Command = {
  name: 'merchants unblock',
  args: '<merchant>',
  summary: 'Unblocks a merchant.',
  async run(input) {
    const merchantId = merchantArgument(input, 'unblock', null)
    const data = await callService(input, 'operator.merchants.unblock', { merchantId })
    return { exit: 'done', data, text: `Merchant ${merchantId} (${data.name}) is no longer blocked.` }
  },
}

export const merchantsRotatePassword: Command = {
  name: 'merchants rotate-password',
  args: '<merchant>',
  summary: 'Creates another password and prints it once. The previous one stays valid until it is retired.',
  options: [
    { name: 'scope', takes: 'cards|full', meaning: 'What it may call: cards.* and form.sessions.* only, or every method. Default: full.' },
  ],
  details:
    'Put the new one on the merchant’s server, check in tessera merchants show that it is used, then: tessera merchants retire-password',
  async run(input) {
    const merchantId = merchantArgument(input, 'rotate-password', null)
    const scope = scopeOption(input)
    const data = await callService(input, 'operator.passwords.rotate', { merchantId, scope })
    const next =
      scope === 'full'
        ? `Both passwords are valid until the old one is retired: tessera merchants retire-password ${merchantId} --yes`
        : 'It may call cards.* and form.sessions.* only; payments need a password of the scope full.'
    return { exit: 'done', data, text: `${passwordLines(data)}\n${next}` }
  },
}

export const merchantsRetirePassword: Command = {
  name: 'merchants retire-password',
  args: '<merchant>',
  summary: 'Retires a password: the oldest of scope full, unless --number names one. The last one of that scope stays.',
  options: [
    {
      name: 'number',
      takes: '<n>',
      meaning: 'The number of the password in tessera merchants show; the oldest active one of scope full by default.',
    },
    yesOption,
  ],
  async run(input) {
    const merchantId = merchantArgument(input, 'retire-password', 'Servers that still use that password will be refused')
    const number = input.options.has('number') ? { number: integerOption(input, 'number', 0) } : {}
    const data = await callService(input, 'operator.passwords.retire', { merchantId, ...number })
    const active = data.passwords.filter(({ retiredAt }) => retiredAt === null).map((each) => each.number)
    return { exit: 'done', data, text: `Merchant ${merchantId} now has only password ${active.join(' and ')}.` }
  },
}

function scopeOption({ options }: CommandInput): 'cards' | 'full' {
  const scope = options.get('scope') ?? 'full'
  if (scope !== 'cards' && scope !== 'full') throw new ExitError('usage', '--scope must be cards or full.')
  return scope
}

/** The merchant id of a command. With a warning, the command requires --yes. */
function merchantArgument({ args, options }: CommandInput, action: string, warning: string | null): string {
  const [merchantId = ''] = requireArguments(args, 1, 1, `merchants ${action} <merchant>`)
  if (warning === null || options.has('yes')) return merchantId
  throw new ExitError('usage', `${warning}. To confirm: tessera merchants ${action} ${merchantId.slice(0, 64)} --yes`)
}

function passwordLines({ merchantId, password }: { readonly merchantId: string; readonly password: string }): string {
  return `Password (shown once): ${password}\nX-Auth of its server: ${merchantId}:${password}`
}

function integerOption({ options }: CommandInput, name: string, byDefault: number): number {
  const text = options.get(name)
  const count = text === undefined ? byDefault : /^[0-9]{1,9}$/.test(text) ? Number(text) : 0
  if (count < 1) throw new ExitError('usage', `--${name} must be a whole number from 1.`)
  return count
}

/** Formats the settings one per line, then account fields and passwords. */
function printMerchant(merchant: Result<'operator.merchants.get'>): string {
  const limits = Object.entries(merchant.limits).map(([name, count]) => `${name} ${String(count)}`)
  const facts = printFields({
    merchant: merchant.merchantId,
    state: merchant.state,
    name: merchant.name,
    organization: merchant.organization,
    address: merchant.address,
    created: merchant.createdAt,
    origins: merchant.origins.join(' '),
    'amounts, tiyin': `${merchant.minAmount} to ${merchant.maxAmount}`,
    limits: limits.length === 0 ? 'as in the settings' : limits.join(', '),
    'strict server auth': onOff(merchant.strictServerAuth),
    'form sessions required': onOff(merchant.requireFormSessions),
    'refunds without confirmation, tiyin': `up to ${merchant.refundUnconfirmedMax}`,
    'second factor required': onOff(merchant.requireSecondFactor),
    'business id': merchant.businessId,
    'EPOS merchant': merchant.epos.merchantId,
    'EPOS terminal': merchant.epos.terminalId,
    color: merchant.brandColor,
    'logo, SHA-256': merchant.logo,
    endpoint: merchant.endpoint?.url ?? '',
  })
  const fields = merchant.accountFields.map(({ name, title: { en, ru, uz }, required, kind = 'text' }) => [
    name,
    required ? 'required' : '',
    kind,
    en,
    ru,
    uz,
  ])
  const passwords = merchant.passwords.map((each) => [each.number, each.scope, each.createdAt, each.lastUsedAt, each.retiredAt])
  return [
    facts,
    '',
    fields.length === 0 ? 'Account fields: any are accepted.' : printTable(['account field', '', 'kind', 'en', 'ru', 'uz'], fields),
    '',
    printTable(['password', 'scope', 'created', 'last used', 'retired'], passwords),
  ].join('\n')
}

function onOff(isOn: boolean): string {
  return isOn ? 'on' : 'off'
}
