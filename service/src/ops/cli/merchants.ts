import type { OperatorResult } from '@tessera/contract/operations'

import { CannotGoOn } from '../exits.ts'

import { printFacts, printTable, wordsOf, type Command, type CommandInput } from './command.ts'
import { callService } from './control-client.ts'
import { patchOptions, readPatchOptions } from './merchant-options.ts'

const yesOption = { name: 'yes', meaning: 'Confirm.' }

export const merchantsCreate: Command = {
  name: 'merchants create',
  summary: 'Creates a merchant, and prints its id and its password once.',
  about:
    'Only a keyed hash of the password is stored: it cannot be printed again. It belongs on the merchant’s server, never in a page or an app.',
  options: patchOptions,
  async run(input) {
    const patch = readPatchOptions(input)
    if (patch['name'] === undefined)
      throw new CannotGoOn('usage', 'Say what cardholders will read: tessera merchants create --name "My shop"')
    const facts = await callService(input, 'operator.merchants.create', { patch })
    return { exit: 'done', facts, text: `Merchant ${facts.merchantId} (${facts.name}) may call from now on.\n${passwordLines(facts)}` }
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
    const count = wholeOf(input, 'count', 100)
    if (count > 500) throw new CannotGoOn('usage', '--count wants a whole number from 1 to 500.')
    const after = input.options.get('after') ?? ''
    if (after !== '' && !/^[0-9a-f]{24}$/.test(after)) throw new CannotGoOn('usage', '--after wants a merchant id: 24 hex digits.')
    const facts = await callService(input, 'operator.merchants.list', { after, count })
    const rows = facts.merchants.map((each) => [each.merchantId, each.state, each.createdAt, each.name])
    const more =
      rows.length === count ? `\nThere may be more: tessera merchants list --after ${facts.merchants.at(-1)?.merchantId ?? ''}` : ''
    const text = rows.length === 0 ? 'No merchant.' : printTable(['merchant', 'state', 'created', 'name'], rows) + more
    return { exit: 'done', facts, text }
  },
}

export const merchantsShow: Command = {
  name: 'merchants show',
  words: '<merchant>',
  summary: 'Shows the settings of a merchant, and when its passwords were created, last used and retired.',
  about: 'The last use is recorded at most once an hour.',
  async run(input) {
    const facts = await callService(input, 'operator.merchants.get', { merchantId: merchantOf(input, 'show', null) })
    return { exit: 'done', facts, text: printMerchant(facts) }
  },
}

export const merchantsSet: Command = {
  name: 'merchants set',
  words: '<merchant>',
  summary: 'Changes the settings of a merchant that are given.',
  about: 'Takes effect at once, and within five seconds in other processes on the same database.',
  options: patchOptions,
  async run(input) {
    const [merchantId = ''] = wordsOf(input.words, 1, 1, 'merchants set <merchant> --name … and so on')
    const patch = readPatchOptions(input)
    if (Object.keys(patch).length === 0) throw new CannotGoOn('usage', 'Say what is to be changed: see tessera merchants set --help')
    const facts = await callService(input, 'operator.merchants.change', { merchantId, patch })
    return { exit: 'done', facts, text: printMerchant(facts) }
  },
}

export const merchantsBlock: Command = {
  name: 'merchants block',
  words: '<merchant>',
  summary: 'Blocks a merchant: all its requests are refused with -31601.',
  about: 'Payments in progress are finished, and its events are delivered. To undo: tessera merchants unblock',
  options: [yesOption],
  async run(input) {
    const merchantId = merchantOf(input, 'block', 'Every call of this merchant will be refused')
    const facts = await callService(input, 'operator.merchants.block', { merchantId })
    return { exit: 'done', facts, text: `Merchant ${merchantId} (${facts.name}) is blocked: its calls are refused.` }
  },
}

export const merchantsUnblock: Command = {
  name: 'merchants unblock',
  words: '<merchant>',
  summary: 'Unblocks a merchant.',
  async run(input) {
    const merchantId = merchantOf(input, 'unblock', null)
    const facts = await callService(input, 'operator.merchants.unblock', { merchantId })
    return { exit: 'done', facts, text: `Merchant ${merchantId} (${facts.name}) may call again.` }
  },
}

export const merchantsRotatePassword: Command = {
  name: 'merchants rotate-password',
  words: '<merchant>',
  summary: 'Creates a second password and prints it once. The previous one stays valid until it is retired.',
  about:
    'Put the new one on the merchant’s server, check in tessera merchants show that it is used, then: tessera merchants retire-password',
  async run(input) {
    const merchantId = merchantOf(input, 'rotate-password', null)
    const facts = await callService(input, 'operator.passwords.rotate', { merchantId })
    const next = `Both passwords are good until the old one is retired: tessera merchants retire-password ${merchantId} --yes`
    return { exit: 'done', facts, text: `${passwordLines(facts)}\n${next}` }
  },
}

export const merchantsRetirePassword: Command = {
  name: 'merchants retire-password',
  words: '<merchant>',
  summary: 'Retires a password: the older of two, unless --number names one. The last one stays.',
  options: [
    { name: 'number', takes: '<n>', meaning: 'The number of the password in tessera merchants show; the older active one by default.' },
    yesOption,
  ],
  async run(input) {
    const merchantId = merchantOf(input, 'retire-password', 'Servers that still use that password will be refused')
    const number = input.options.has('number') ? { number: wholeOf(input, 'number', 0) } : {}
    const facts = await callService(input, 'operator.passwords.retire', { merchantId, ...number })
    const active = facts.passwords.filter(({ retiredAt }) => retiredAt === null).map((each) => each.number)
    return { exit: 'done', facts, text: `Of merchant ${merchantId} password ${active.join(', ')} is good, and no other.` }
  },
}

/** The merchant that a command is about; where a warning says what it breaks, only with --yes. */
function merchantOf({ words, options }: CommandInput, action: string, warning: string | null): string {
  const [merchantId = ''] = wordsOf(words, 1, 1, `merchants ${action} <merchant>`)
  if (warning === null || options.has('yes')) return merchantId
  throw new CannotGoOn('usage', `${warning}. If you mean it: tessera merchants ${action} ${merchantId.slice(0, 64)} --yes`)
}

function passwordLines({ merchantId, password }: { readonly merchantId: string; readonly password: string }): string {
  return `Password (shown once): ${password}\nX-Auth of its server: ${merchantId}:${password}`
}

function wholeOf({ options }: CommandInput, name: string, byDefault: number): number {
  const said = options.get(name)
  const count = said === undefined ? byDefault : /^[0-9]{1,9}$/.test(said) ? Number(said) : 0
  if (count < 1) throw new CannotGoOn('usage', `--${name} wants a whole number from 1.`)
  return count
}

/** For people: facts one a line, then fields and passwords. */
function printMerchant(merchant: OperatorResult<'operator.merchants.get'>): string {
  const limits = Object.entries(merchant.limits).map(([name, count]) => `${name} ${String(count)}`)
  const facts = printFacts({
    merchant: merchant.merchantId,
    state: merchant.state,
    name: merchant.name,
    organization: merchant.organization,
    address: merchant.address,
    created: merchant.createdAt,
    origins: merchant.origins.join(' '),
    'amounts, tiyin': `${merchant.minAmount} to ${merchant.maxAmount}`,
    limits: limits.length === 0 ? 'as the settings say' : limits.join(', '),
    'strict server auth': onOff(merchant.strictServerAuth),
    'form sessions required': onOff(merchant.requireFormSessions),
    'business id': merchant.businessId,
    'EPOS merchant': merchant.epos.merchantId,
    'EPOS terminal': merchant.epos.terminalId,
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
  const passwords = merchant.passwords.map((each) => [each.number, each.createdAt, each.lastUsedAt, each.retiredAt])
  return [
    facts,
    '',
    fields.length === 0 ? 'Account fields: any are taken.' : printTable(['account field', '', 'kind', 'en', 'ru', 'uz'], fields),
    '',
    printTable(['password', 'made', 'last used', 'retired'], passwords),
  ].join('\n')
}

function onOff(isOn: boolean): string {
  return isOn ? 'on' : 'off'
}
