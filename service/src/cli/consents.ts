import type { BrokenConsent, ConsentsPage, ToldConsent } from '../consents/consents.ts'
import { CannotGoOn } from '../exits.ts'

import { ask } from './ask.ts'
import type { Asked, Command } from './command.ts'
import { wordsOf } from './keys.ts'
import { printFacts } from './table.ts'

export const consentsShow: Command = {
  name: 'consents show',
  words: '<card>',
  summary: 'Shows what a cardholder agreed to when a card was kept, with the very text.',
  about:
    'A card id is the part of the token before the underscore. It is told for removed cards too. Exit code 1 when the row was changed by another hand.',
  async run(asked) {
    const [cardId] = wordsOf(asked.words, 1, 1, 'consents show <card>')
    const facts = (await ask(asked, { ask: 'consents.show', cardId })) as ToldConsent
    return { exit: facts.isTrue ? 'done' : 'found', facts, text: shownConsent(facts) }
  },
}

export const consentsExport: Command = {
  name: 'consents export',
  summary: 'Prints every consent that a merchant’s cards were kept by, one a line, oldest first.',
  about:
    'For people by itself; with --json JSON Lines, whose last line counts them, so that a file that was cut off is known; with --csv CSV (RFC 4180).\n' +
    'It goes page by page and takes little memory however many there are; cards made while it runs may be left out.\n' +
    'Exit code 1 when a row was changed by another hand (isTrue false) or cannot be read (brokenAt).',
  options: [
    { name: 'merchant', takes: '<id>', meaning: 'Whose.' },
    { name: 'from', takes: '<moment>', meaning: 'Cards created from then on: 2026-01-31, or 2026-01-31T09:00:00Z.' },
    { name: 'to', takes: '<moment>', meaning: 'Cards created before then.' },
    { name: 'csv', meaning: 'CSV with a line of headings.' },
  ],
  async run(asked) {
    const isCsv = asked.options.has('csv')
    if (isCsv && asked.json) throw new CannotGoOn('usage', 'It is either --csv or --json.')
    const merchantId = asked.options.get('merchant')
    if (merchantId === undefined) throw new CannotGoOn('usage', 'Say whose: tessera consents export --merchant <id>')
    const span = {
      merchantId,
      from: momentOf(asked, 'from', 0),
      to: momentOf(asked, 'to', lastMoment),
    }
    let [exported, faults] = [0, 0]
    if (isCsv) asked.print(`${columns.join(',')}\n`)
    for (let after: string | null = ''; after !== null;) {
      const page = (await ask(asked, { ask: 'consents.page', ...span, after })) as ConsentsPage
      for (const consent of page.consents) {
        asked.print(`${isCsv ? csvLine(consent) : asked.json ? JSON.stringify(consent) : shownLine(consent)}\n`)
        exported++
        if (!('isTrue' in consent && consent.isTrue)) faults++
      }
      after = page.next
    }
    return { exit: faults === 0 ? 'done' : 'found', facts: { exported, faults }, text: isCsv ? '' : `${String(exported)} consents.` }
  },
}

function shownLine(consent: ToldConsent | BrokenConsent): string {
  if ('brokenAt' in consent) return `${consent.cardId}  cannot be read: ${consent.brokenAt}`
  const { cardId, receivedAt, maskedPan, cardState, by, version, locale, isTrue } = consent
  const named = version === null ? '' : `  ${version} ${String(locale)}`
  return `${cardId}  ${receivedAt}  ${maskedPan}  ${cardState}  ${by}${named}${isTrue ? '' : '  CHANGED BY ANOTHER HAND'}`
}

function shownConsent({ text, by, isTrue, ...rest }: ToldConsent): string {
  const told = { by: words[by], ...rest, 'as written': isTrue }
  return text === null ? printFacts(told) : `${printFacts(told)}\n\n${text}`
}

const words: Readonly<Record<ToldConsent['by'], string>> = {
  form: 'the hosted form',
  page: 'a page or app, which showed it by its own word',
  server: 'the merchant’s server, by its own word',
  merchant: 'asserted by the merchant; no text was named',
  unknown: 'kept by a version that did not note by whom',
}

function momentOf({ options }: Asked, name: string, byDefault: number): number {
  const given = options.get(name)
  if (given === undefined) return byDefault
  const at = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(at)) throw new CannotGoOn('usage', `--${name} wants a moment: 2026-01-31, or 2026-01-31T09:00:00Z.`)
  return at
}

function csvLine(consent: ToldConsent | BrokenConsent): string {
  const cells: Readonly<Record<string, unknown>> = { ...consent }
  return columns.map((column) => csvCell(cells[column] ?? '')).join(',')
}

/** RFC 4180 §2. What a spreadsheet would take for a formula gets an apostrophe: `customer` is the merchant's own text. */
function csvCell(value: unknown): string {
  const text = String(value)
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}

const columns = [
  ...['cardId', 'merchantId', 'customer', 'maskedPan', 'cardState', 'by', 'receivedAt', 'agreedAt', 'version', 'locale', 'sha256'],
  ...['text', 'cardEndedAt', 'isTrue', 'brokenAt'],
]
const lastMoment = 8.64e15
