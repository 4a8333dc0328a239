import type { ReceiptState } from '@tessera/contract/receipt'

import type { ReceiptStateInfo, TransitionRule } from '../../service/src/domain/payments/states.ts'
import { page, printedFrom, markdownTable } from './markdown.ts'

export type StateTable = Readonly<Record<number, ReceiptStateInfo>>

/** The page of the states of a receipt and of every transition between them. */
export function printPaymentStatesPage(states: StateTable, transitions: Readonly<Record<string, TransitionRule>>): string {
  const rules = Object.entries(transitions)
  const moving = rules.filter(([, { to }]) => to !== 'same')
  const staying = rules.filter(([, { to }]) => to === 'same')
  return page(
    '# Payment states',
    printedFrom('service/src/domain/payments/states.ts'),
    intro,
    '## States',
    markdownTable(
      ['state', 'name', 'meaning', 'next'],
      Object.entries(states).map(([state, { name, meaning, next }]) => [state, name, meaning, next]),
    ),
    '## Transitions',
    `Any other transition is refused: the request ends with an internal error, and nothing is changed.`,
    markdownTable(
      ['cause', 'from', 'to', 'audit action', 'event', 'what happened'],
      moving.map(([cause, { from, to, action, event, meaning }]) => [
        `\`${cause}\``,
        from.join(', '),
        (to as readonly ReceiptState[]).join(', '),
        `\`${action}\``,
        event === null ? '' : `\`${event}\``,
        meaning,
      ]),
    ),
    '## Changes that keep the state',
    markdownTable(
      ['cause', 'in', 'audit action', 'what happened'],
      staying.map(([cause, { from, action, meaning }]) => [
        `\`${cause}\``,
        from.length === Object.keys(states).length ? 'any' : from.join(', '),
        `\`${action}\``,
        meaning,
      ]),
    ),
  )
}

const intro = `A receipt is in one of ten states; the numbers are those of the wire ([receipts](wire.md#receipts)). Each change is stored
with its audit entry and event in one transaction, and logged as \`receipt_transition\` with the receipt's id, \`from\`, \`to\` and \`cause\`.
Concepts: [how money moves](../concepts/receipts.md). A payment that does not move on: [stuck payments](../operating/stuck-payment.md).`
