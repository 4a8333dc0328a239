import { errors } from '@tessera/contract/errors'
import { formReasons } from '@tessera/contract/form-reasons'
import { operations, publicOperations as methods, type PublicOperation } from '@tessera/contract/operations'
import { receipt } from '@tessera/contract/operations/receipts'
import { terms } from '@tessera/contract/terms'
import { printOpenRpc } from '@tessera/contract/openrpc'
import { rules } from '../../form-check/src/rules.ts'
import { receiptStateInfo, receiptTransitions } from '../../service/src/domain/payments/states.ts'
import { goingLiveItems } from '../../service/src/ops/cli/going-live.ts'
import { brokenDeployments } from '../../service/src/ops/cli/evidence/broken-deployments.ts'
import { evidenceRows } from '../../service/src/ops/cli/evidence/rows.ts'
import { refusedStarts } from '../../service/src/ops/cli/refused-starts.fixture.ts'
import { settings } from '../../service/src/ops/config/config.ts'
import { printAppearancePage } from './appearance.ts'
import { printCapacityPage } from './capacity.ts'
import { printClientTypes } from './client-types.ts'
import { printErrorsPage } from './errors.ts'
import { printFormCheckPage } from './form-check.ts'
import { printFormReasonsPage, printReasonTables, printReasonType } from './form-reasons.ts'
import { printEvidencePage } from './evidence.ts'
import { printGoingLivePage } from './going-live.ts'
import { printedFrom } from './markdown.ts'
import { printMethodPage, printMethodsIndex } from './methods.ts'
import { printOperationsPage } from './operations.ts'
import { printPaymentStatesPage } from './payment-states.ts'
import { printRefusedStartsPage } from './refused-starts.ts'
import type { Schema } from './schema.ts'
import { printTermsPage } from './terms.ts'
import { printSettingsPage } from './settings.ts'

/** Every page that is printed from the code, by path. Pure: the same code prints the same pages. */
export function printPages(version: string): Map<string, string> {
  const entries: Readonly<Record<string, PublicOperation>> = methods
  return new Map([
    ['docs/reference/terms.md', printTermsPage(terms)],
    ['docs/reference/errors.md', printErrorsPage(errors)],
    ['docs/reference/form-reasons.md', printFormReasonsPage(formReasons)],
    ['docs/guides/form-check.md', printFormCheckPage(rules)],
    ['docs/reference/appearance.md', printAppearancePage()],
    ['docs/reference/settings.md', printSettingsPage(settings)],
    ['docs/reference/refused-starts.md', printRefusedStartsPage(refusedStarts)],
    ['docs/operating/capacity.md', printCapacityPage()],
    ['docs/operating/evidence.md', printEvidencePage(evidenceRows, brokenDeployments)],
    ['docs/operating/going-live.md', printGoingLivePage(goingLiveItems)],
    ['docs/reference/payment-states.md', printPaymentStatesPage(receiptStateInfo, receiptTransitions)],
    ['docs/reference/operations.md', printOperationsPage(Object.values(operations))],
    ['docs/reference/openrpc.json', JSON.stringify(printOpenRpc(version), null, 2) + '\n'],
    ['docs/reference/methods/README.md', printMethodsIndex(entries)],
    ['browser/page/card-form-reason.ts', printReasonType()],
    ['client/src/wire.ts', printClientTypes({ methods: entries, errors, named })],
    ...Object.entries(entries).map(([name, entry]): [string, string] => [
      `docs/reference/methods/${name}.md`,
      printMethodPage(name, entry),
    ]),
  ])
}

/** Pages with printed parts, each between two comments, by the name in the first of them. */
const sections: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'docs/guides/card-form.md': { 'contract/src/errors.ts and form-reasons.ts': printReasonTables },
}

/** Pages that are written by hand, with their printed parts as the code prints them now. Throws when a part has no comments. */
export function printSections(read: (path: string) => string): Map<string, string> {
  return new Map(
    Object.entries(sections).map(([path, parts]) => [
      path,
      Object.entries(parts).reduce((text, [source, print]) => replaceSection(text, source, print()), read(path)),
    ]),
  )
}

function replaceSection(text: string, source: string, printed: string): string {
  const [begin, end] = [printedFrom(source), '<!-- End of the printed part. -->']
  const [before = '', rest, ...more] = text.split(begin)
  const last = rest?.indexOf(end) ?? -1
  if (rest === undefined || last < 0 || more.length > 0) throw new Error(`no part ${begin} … ${end}`)
  return `${before}${begin}\n\n${printed}\n\n${rest.slice(last)}`
}

/** Schemas that occur in several replies, with their names in the library's types. */
const named = new Map<Schema, string>([
  [loose(methods['cards.check'].result.properties.card), 'Card'],
  [loose(receipt.properties.payer).anyOf?.[0] ?? {}, 'Payer'],
  [loose(receipt), 'Receipt'],
])

/** A schema without its static type, as the printers use it. */
function loose(schema: PublicOperation['result']): Schema {
  return schema
}
