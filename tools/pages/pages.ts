import { errors } from '@tessera/contract/errors'
import { formReasons } from '@tessera/contract/form-reasons'
import { operations, publicOperations as methods, type PublicOperation } from '@tessera/contract/operations'
import { receipt } from '@tessera/contract/operations/receipts'
import { printOpenRpc } from '@tessera/contract/openrpc'
import { rules } from '../../form-check/src/rules.ts'
import { receiptStateInfo, receiptTransitions } from '../../service/src/domain/payments/states.ts'
import { goingLiveItems } from '../../service/src/ops/cli/going-live.ts'
import { refusedStarts } from '../../service/src/ops/cli/refused-starts.fixture.ts'
import { settings } from '../../service/src/ops/config/config.ts'
import { printClientTypes } from './client-types.ts'
import { printErrorsPage } from './errors.ts'
import { printFormCheckPage } from './form-check.ts'
import { printFormReasonsPage } from './form-reasons.ts'
import { printGoingLivePage } from './going-live.ts'
import { printMethodPage, printMethodsIndex } from './methods.ts'
import { printOperationsPage } from './operations.ts'
import { printPaymentStatesPage } from './payment-states.ts'
import { printRefusedStartsPage } from './refused-starts.ts'
import type { Schema } from './schema.ts'
import { printSettingsPage } from './settings.ts'
import { printThemePage } from './theme.ts'

/** Every page that is printed from the code, by path. Pure: the same code prints the same pages. */
export function printPages(version: string): Map<string, string> {
  const entries: Readonly<Record<string, PublicOperation>> = methods
  return new Map([
    ['docs/reference/errors.md', printErrorsPage(errors)],
    ['docs/reference/form-reasons.md', printFormReasonsPage(formReasons)],
    ['docs/guides/form-check.md', printFormCheckPage(rules)],
    ['docs/reference/theme.md', printThemePage()],
    ['docs/reference/settings.md', printSettingsPage(settings)],
    ['docs/reference/refused-starts.md', printRefusedStartsPage(refusedStarts)],
    ['docs/operating/going-live.md', printGoingLivePage(goingLiveItems)],
    ['docs/reference/payment-states.md', printPaymentStatesPage(receiptStateInfo, receiptTransitions)],
    ['docs/reference/operations.md', printOperationsPage(Object.values(operations))],
    ['docs/reference/openrpc.json', JSON.stringify(printOpenRpc(version), null, 2) + '\n'],
    ['docs/reference/methods/README.md', printMethodsIndex(entries)],
    ['client/src/wire.ts', printClientTypes({ methods: entries, errors, named })],
    ...Object.entries(entries).map(([name, entry]): [string, string] => [
      `docs/reference/methods/${name}.md`,
      printMethodPage(name, entry),
    ]),
  ])
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
