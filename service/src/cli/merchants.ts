import { ask } from './ask.ts'
import type { Asked, Command } from './command.ts'
import { wordsOf } from './keys.ts'
import { CannotGoOn } from '../exits.ts'
import { showMerchant, type ShownMerchant } from './merchant-shown.ts'
import { wishOf, wishOptions } from './merchant-wish.ts'
import { printTable } from './table.ts'

type Issued = ShownMerchant & { readonly password: string }

const yesOption = { name: 'yes', meaning: 'Say that you mean it.' }

export const merchantsCreate: Command = {
  name: 'merchants create',
  summary: 'Makes a merchant, and prints its id and its password once.',
  about: 'The password is kept as a keyed hash: nobody can print it again. It belongs on the merchant’s server, never in a page or an app.',
  options: wishOptions,
  async run(asked) {
    const wish = wishOf(asked)
    if (wish['name'] === undefined)
      throw new CannotGoOn('usage', 'Say what cardholders will read: tessera merchants create --name "My shop"')
    const facts = (await ask(asked, { ask: 'merchants.create', wish })) as Issued
    return { exit: 'done', facts, text: `Merchant ${facts.merchantId} (${facts.name}) may call from now on.\n${passwordLines(facts)}` }
  },
}

export const merchantsList: Command = {
  name: 'merchants list',
  summary: 'Lists the merchants in the order of their ids.',
  options: [
    { name: 'after', takes: '<id>', meaning: 'Those behind this id: the last one of the page before.' },
    { name: 'count', takes: '<n>', meaning: 'How many; 100 by default, 500 at most.' },
  ],
  async run(asked) {
    const count = wholeOf(asked, 'count', 100)
    if (count > 500) throw new CannotGoOn('usage', '--count wants a whole number from 1 to 500.')
    const after = asked.options.get('after') ?? ''
    if (after !== '' && !/^[0-9a-f]{24}$/.test(after)) throw new CannotGoOn('usage', '--after wants a merchant id: 24 hex digits.')
    const facts = (await ask(asked, { ask: 'merchants.list', after, count })) as { merchants: Listed[] }
    const rows = facts.merchants.map((each) => [each.merchantId, each.state, each.createdAt, each.name])
    const more =
      rows.length === count ? `\nThere may be more: tessera merchants list --after ${facts.merchants.at(-1)?.merchantId ?? ''}` : ''
    const text = rows.length === 0 ? 'No merchant.' : printTable(['merchant', 'state', 'created', 'name'], rows) + more
    return { exit: 'done', facts, text }
  },
}

interface Listed {
  readonly merchantId: string
  readonly state: string
  readonly createdAt: string
  readonly name: string
}

export const merchantsShow: Command = {
  name: 'merchants show',
  words: '<merchant>',
  summary: 'Shows what is agreed with a merchant, and its passwords: when each was made, last used, retired.',
  about: 'The last use is written down once an hour at most.',
  run: (asked) => done(asked, 'show', [], (facts) => showMerchant(facts)),
}

export const merchantsSet: Command = {
  name: 'merchants set',
  words: '<merchant>',
  summary: 'Changes what is agreed with a merchant; what is not named stays as it is.',
  about: 'Takes effect at once, and within five seconds in other processes on the same database.',
  options: wishOptions,
  async run(asked) {
    const [merchantId] = wordsOf(asked.words, 1, 1, 'merchants set <merchant> --name … and so on')
    const wish = wishOf(asked)
    if (Object.keys(wish).length === 0) throw new CannotGoOn('usage', 'Say what is to be changed: see tessera merchants set --help')
    const facts = (await ask(asked, { ask: 'merchants.set', merchantId, wish })) as ShownMerchant
    return { exit: 'done', facts, text: showMerchant(facts) }
  },
}

export const merchantsBlock: Command = {
  name: 'merchants block',
  words: '<merchant>',
  summary: 'Blocks a merchant: every call of it is refused with -31601.',
  about: 'What is under way is brought to its end, and its events are delivered. tessera merchants unblock takes it back.',
  options: [yesOption],
  run: (asked) =>
    done(
      asked,
      'block',
      ['Every call of this merchant will be refused'],
      ({ merchantId, name }) => `Merchant ${merchantId} (${name}) is blocked: its calls are refused.`,
    ),
}

export const merchantsUnblock: Command = {
  name: 'merchants unblock',
  words: '<merchant>',
  summary: 'Lets a blocked merchant call again.',
  run: (asked) => done(asked, 'unblock', [], ({ merchantId, name }) => `Merchant ${merchantId} (${name}) may call again.`),
}

export const merchantsRotatePassword: Command = {
  name: 'merchants rotate-password',
  words: '<merchant>',
  summary: 'Makes a new password and prints it once; the one before stays good until it is retired.',
  about: 'Put the new one on the merchant’s server, see in tessera merchants show that it is used, then: tessera merchants retire-password',
  run: (asked) =>
    done(asked, 'rotate-password', [], (facts) => {
      const then = `Both passwords are good until the old one is ended: tessera merchants retire-password ${facts.merchantId} --yes`
      return `${passwordLines(facts as Issued)}\n${then}`
    }),
}

export const merchantsRetirePassword: Command = {
  name: 'merchants retire-password',
  words: '<merchant>',
  summary: 'Ends a password: the older of two, unless --number says which. The last one stays.',
  options: [
    { name: 'number', takes: '<n>', meaning: 'Which, as tessera merchants show numbers them; the older live one by default.' },
    yesOption,
  ],
  run: (asked) =>
    done(asked, 'retire-password', ['Servers that still use that password will be refused'], ({ merchantId, passwords }) => {
      const live = passwords.filter(({ retiredAt }) => retiredAt === null).map(({ number }) => number)
      return `Of merchant ${merchantId} password ${live.join(', ')} is good, and no other.`
    }),
}

/** Asks one thing about one merchant; where `warnings` say what it breaks, only with --yes. */
async function done(asked: Asked, deed: string, warnings: readonly string[], tell: (facts: ShownMerchant) => string) {
  const [merchantId = ''] = wordsOf(asked.words, 1, 1, `merchants ${deed} <merchant>`)
  const number = asked.options.has('number') ? { number: wholeOf(asked, 'number', 0) } : {}
  if (warnings.length > 0 && !asked.options.has('yes'))
    throw new CannotGoOn('usage', `${warnings.join('. ')}. If you mean it: tessera merchants ${deed} ${merchantId.slice(0, 64)} --yes`)
  const facts = (await ask(asked, { ask: `merchants.${deed}`, merchantId, ...number })) as ShownMerchant
  return { exit: 'done' as const, facts, text: tell(facts) }
}

function passwordLines({ merchantId, password }: Issued): string {
  return `Password (shown once): ${password}\nX-Auth of its server: ${merchantId}:${password}`
}

function wholeOf({ options }: Asked, name: string, byDefault: number): number {
  const said = options.get(name)
  const count = said === undefined ? byDefault : /^[0-9]{1,9}$/.test(said) ? Number(said) : 0
  if (count < 1) throw new CannotGoOn('usage', `--${name} wants a whole number from 1.`)
  return count
}
