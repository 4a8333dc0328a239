import type { Result } from '@tessera/contract/operations'

import { ExitError } from '../exits.ts'

import { callService } from './control-client.ts'
import { printFields, requireArguments, timeOption, type Command } from './command.ts'

export const consentsShow: Command = {
  name: 'consents show',
  args: '<card>',
  summary: 'Shows what a cardholder agreed to when a card was saved, with the exact text.',
  details:
    'A card id is the part of the token before the underscore. Works for removed cards too. Exit code 1 when the row was changed outside the service.',
  async run(input) {
    const [cardId = ''] = requireArguments(input.args, 1, 1, 'consents show <card>')
    const data = await callService(input, 'operator.consents.get', { cardId })
    if ('brokenAt' in data) return { exit: 'findings', data, text: formatLine(data) }
    return { exit: data.hasValidMac ? 'done' : 'findings', data, text: formatConsent(data) }
  },
}

export const consentsExport: Command = {
  name: 'consents export',
  summary: 'Prints the consents of a merchant’s cards, one a line, oldest first.',
  details:
    'Text by default; --json prints JSON Lines, whose last line has the count, so that a truncated file is noticed; --csv prints CSV (RFC 4180).\n' +
    'Reads page by page in little memory. Cards created while it runs may be missing.\n' +
    'Exit code 1 when a row was changed outside the service (hasValidMac false) or cannot be read (brokenAt).',
  options: [
    { name: 'merchant', takes: '<id>', meaning: 'The merchant.' },
    { name: 'from', takes: '<time>', meaning: 'Cards created at this time or later: 2026-01-31, or 2026-01-31T09:00:00Z.' },
    { name: 'to', takes: '<time>', meaning: 'Cards created before this time.' },
    { name: 'csv', meaning: 'CSV with a line of headings.' },
  ],
  async run(input) {
    const isCsv = input.options.has('csv')
    if (isCsv && input.json) throw new ExitError('usage', 'Use either --csv or --json.')
    const merchantId = input.options.get('merchant')
    if (merchantId === undefined) throw new ExitError('usage', 'The merchant is missing: tessera consents export --merchant <id>')
    const span = {
      merchantId,
      from: timeOption(input, 'from', 0),
      to: timeOption(input, 'to', maxTime),
    }
    let [exported, faults] = [0, 0]
    if (isCsv) input.print(`${columns.join(',')}\n`)
    for (let after: string | null = ''; after !== null;) {
      const page: Result<'operator.consents.list'> = await callService(input, 'operator.consents.list', { ...span, after })
      for (const consent of page.consents) {
        input.print(`${isCsv ? csvLine(consent) : input.json ? JSON.stringify(consent) : formatLine(consent)}\n`)
        exported++
        if (!('hasValidMac' in consent && consent.hasValidMac)) faults++
      }
      after = page.next
    }
    return { exit: faults === 0 ? 'done' : 'findings', data: { exported, faults }, text: isCsv ? '' : `${String(exported)} consents.` }
  },
}

type ConsentRow = Result<'operator.consents.get'>
type ValidConsentRow = Exclude<ConsentRow, { readonly brokenAt: string }>

function formatLine(consent: ConsentRow): string {
  if ('brokenAt' in consent) return `${consent.cardId}  cannot be read: ${consent.brokenAt}`
  const { cardId, receivedAt, maskedPan, cardState, by, version, locale, hasValidMac } = consent
  const named = version === null ? '' : `  ${version} ${String(locale)}`
  return `${cardId}  ${receivedAt}  ${maskedPan}  ${cardState}  ${by}${named}${hasValidMac ? '' : '  CHANGED OUTSIDE THE SERVICE'}`
}

function formatConsent({ text, by, hasValidMac, ...rest }: ValidConsentRow): string {
  const fields = printFields({ by: sourceTexts[by], ...rest, 'valid MAC': hasValidMac })
  return text === null ? fields : `${fields}\n\n${text}`
}

const sourceTexts: Readonly<Record<ValidConsentRow['by'], string>> = {
  form: 'the hosted form',
  page: 'a page or app, which states that it showed the text',
  server: 'the merchant’s server, which states that the text was shown',
  merchant: 'asserted by the merchant, without a text',
  unknown: 'stored by a version that did not record the source',
}

function csvLine(consent: ConsentRow): string {
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
  'cardId',
  'merchantId',
  'customer',
  'maskedPan',
  'cardState',
  'by',
  'receivedAt',
  'agreedAt',
  'version',
  'locale',
  'sha256',
  'text',
  'cardEndedAt',
  'hasValidMac',
  'brokenAt',
]
const maxTime = 8.64e15
