import type { OperatorParams, OperatorResult } from '@tessera/contract/operations'
import { formatSum, receiptStates } from '@tessera/contract/receipt'

import { CannotGoOn } from '../exits.ts'

import { printFacts, printTable, wordsOf, type Command, type CommandInput, type CommandOutcome } from './command.ts'
import { callService } from './control-client.ts'

export const receiptsList: Command = {
  name: 'receipts list',
  summary: 'Lists receipts that wait for the network, the merchant or an operator, over all merchants.',
  about:
    '--flagged: those that need an operator. --state: one open state (1, 2, 3, 5, 6, 20 or 21); in 20 those unknown for longest come first.\n' +
    'With --merchant any state, newest first. What to do: docs/operating/stuck-payment.md.',
  options: [
    { name: 'flagged', meaning: 'Only receipts that are flagged for an operator.' },
    { name: 'state', takes: '<n>', meaning: 'Only receipts in this state: docs/reference/payment-states.md.' },
    { name: 'merchant', takes: '<id>', meaning: 'Only receipts of this merchant.' },
    { name: 'after', takes: '<receipt>', meaning: 'Those after this receipt, the last one of the page before.' },
    { name: 'count', takes: '<n>', meaning: 'How many; 50 by default, 500 at most.' },
  ],
  async run(input) {
    const facts = await callService(input, 'operator.receipts.list', listParams(input))
    const rows = facts.receipts.map((each) => [
      each.receiptId,
      `${String(each.state)} ${each.stateName}`,
      formatSum(each.amountTiyin),
      each.createdAt,
      each.unknownSince,
      each.dueAt,
      each.flagged ? 'flagged' : null,
      each.merchantId,
    ])
    const headings = ['receipt', 'state', 'so‘m', 'created', 'unknown since', 'due', 'flag', 'merchant']
    const more = facts.next === null ? '' : `\nThere are more: add --after ${facts.next}`
    return { exit: 'done', facts, text: rows.length === 0 ? 'No receipt.' : printTable(headings, rows) + more }
  },
}

function listParams({ options }: CommandInput): OperatorParams<'operator.receipts.list'> {
  const [state, merchantId, after, count] = ['state', 'merchant', 'after', 'count'].map((name) => options.get(name))
  return {
    ...(options.has('flagged') ? { flagged: true } : {}),
    ...(state === undefined ? {} : { state: stateOf(state) }),
    ...(merchantId === undefined ? {} : { merchantId }),
    ...(after === undefined ? {} : { after }),
    ...(count === undefined ? {} : { count: Number(count) }),
  }
}

function stateOf(given: string): (typeof receiptStates)[keyof typeof receiptStates] {
  const state = Object.values(receiptStates).find(
    (each) => String(each) === given || receiptStates[given as keyof typeof receiptStates] === each,
  )
  if (state === undefined)
    throw new CannotGoOn('usage', `--state wants a number or name of docs/reference/payment-states.md, such as 20 or unknown.`)
  return state
}

export const receiptsShow: Command = {
  name: 'receipts show',
  words: '<receipt>',
  summary: 'Shows a receipt: its state, what happens next, the calls for it and its history.',
  about: 'Exit code 1 when the row was not written by this service.',
  async run(input) {
    const [receiptId = ''] = wordsOf(input.words, 1, 1, 'receipts show <receipt>')
    const facts = await callService(input, 'operator.receipts.get', { receiptId })
    return { exit: facts.receipt.hasValidMac ? 'done' : 'found', facts, text: formatDetails(facts) }
  },
}

const resolveShape = 'receipts resolve <receipt> (--paid-at <time> | --not-paid) --reference <text> --reason <text> --yes'

export const receiptsResolve: Command = {
  name: 'receipts resolve',
  words: '<receipt>',
  summary: 'Records what the network’s statement says of a payment whose outcome is unknown (state 20).',
  about:
    '--paid-at: the statement has the debit; the money goes back, and the receipt goes to 21, then 50.\n' +
    '--not-paid: the statement does not have it; the receipt goes to 0 and may be paid again. This cannot be taken back.\n' +
    'Reference and reason are stored, and the audit has receipt.resolved. The decision step by step: docs/operating/stuck-payment.md.',
  options: [
    { name: 'paid-at', takes: '<time>', meaning: 'When the card was debited, by the statement: 2026-01-31T09:00:00Z.' },
    { name: 'not-paid', meaning: 'The statement shows no debit.' },
    { name: 'reference', takes: '<text>', meaning: 'The network’s reference of the debit, or the number of the statement.' },
    { name: 'reason', takes: '<text>', meaning: 'Why you decide so: a sentence of 3 to 200 characters, without card numbers.' },
    { name: 'yes', meaning: 'Confirm.' },
  ],
  async run(input) {
    const [receiptId = ''] = wordsOf(input.words, 1, 1, resolveShape)
    const { options } = input
    const isNotPaid = options.has('not-paid')
    const [paidAt, reference, reason] = ['paid-at', 'reference', 'reason'].map((name) => options.get(name))
    if (isNotPaid === (paidAt !== undefined)) {
      throw new CannotGoOn('usage', 'Say what the network’s statement shows: either --paid-at <time> or --not-paid.')
    }
    if (reference === undefined || reason === undefined) {
      throw new CannotGoOn('usage', 'Say where it is written and why you decide so: --reference <text> --reason <text>')
    }
    const params = { receiptId, paidAt: paidAt === undefined ? null : timeOf(paidAt), reference, reason }
    if (!options.has('yes')) return askForYes(input, params)
    const facts = await callService(input, 'operator.receipts.resolve', params)
    const { state, stateName } = facts.receipt
    return { exit: 'done', facts, text: `Receipt ${receiptId} is now in state ${String(state)} (${stateName}). ${facts.next}` }
  },
}

/** Shows what would be resolved, so that the operator compares it with the statement first. */
async function askForYes(
  input: CommandInput,
  { receiptId, paidAt }: { receiptId: string; paidAt: number | null },
): Promise<CommandOutcome> {
  const facts = await callService(input, 'operator.receipts.get', { receiptId })
  const consequence =
    paidAt === null ? 'It would become payable again (state 0). This cannot be taken back.' : 'Its money would go back (state 21).'
  throw new CannotGoOn(
    'usage',
    `${formatDetails(facts)}\n\n${consequence} Nothing was done. If the statement says so, run it again with --yes.`,
  )
}

function timeOf(given: string): number {
  const at = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(at))
    throw new CannotGoOn('usage', '--paid-at wants a time with its zone: 2026-01-31T09:00:00Z or 2026-01-31T14:00:00+05:00.')
  return at
}

function formatDetails({ receipt, meaning, next, operations, history }: OperatorResult<'operator.receipts.get'>): string {
  const { state, stateName, amountTiyin, takenTiyin, ...rest } = receipt
  const facts = printFacts({
    state: `${String(state)} ${stateName}: ${meaning}`,
    next,
    'amount so‘m': formatSum(amountTiyin),
    'taken so‘m': formatSum(takenTiyin),
    ...rest,
  })
  const calls = printTable(
    ['call', 'so‘m', 'outcome', 'requested', 'resolved', 'requestId', 'network reference', 'reason', 'network code'],
    operations.map((each) => [
      each.kind,
      formatSum(each.amountTiyin),
      each.state,
      each.requestedAt,
      each.resolvedAt,
      each.requestId,
      each.networkRef,
      each.reason,
      each.rawCode,
    ]),
  )
  const entries = printTable(
    ['time', 'action', 'outcome', 'actor'],
    history.map((each) => [each.at, each.action, each.outcome, each.actor]),
  )
  return [facts, operations.length === 0 ? 'No calls.' : `Calls\n${calls}`, `History, newest first\n${entries}`].join('\n\n')
}
