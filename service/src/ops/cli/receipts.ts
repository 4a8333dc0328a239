import type { Params, Result } from '@tessera/contract/operations'
import { formatSum, receiptStates } from '@tessera/contract/receipt'

import { ExitError } from '../exits.ts'

import { printFields, printTable, requireArguments, type Command, type CommandInput, type CommandOutcome } from './command.ts'
import { callService } from './control-client.ts'

export const receiptsList: Command = {
  name: 'receipts list',
  summary: 'Lists receipts that wait for the network, the merchant or an operator, of all merchants.',
  details:
    'Needs --flagged, --state or --merchant. --flagged: those that need an operator. --state: one open state (1, 2, 3, 5, 6, 20 or 21); in 20 those unknown for longest come first.\n' +
    'With --merchant any state, newest first. What to do: docs/operating/stuck-payment.md.',
  options: [
    { name: 'flagged', meaning: 'Only receipts that are flagged for an operator.' },
    { name: 'state', takes: '<n>', meaning: 'Only receipts in this state: docs/reference/payment-states.md.' },
    { name: 'merchant', takes: '<id>', meaning: 'Only receipts of this merchant.' },
    { name: 'after', takes: '<receipt>', meaning: 'Start after this receipt: the last one of the previous page.' },
    { name: 'count', takes: '<n>', meaning: 'How many; 50 by default, 500 at most.' },
  ],
  async run(input) {
    const data = await callService(input, 'operator.receipts.list', listParams(input))
    const rows = data.receipts.map((each) => [
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
    const more = data.next === null ? '' : `\nThere are more: --after ${data.next}`
    return { exit: 'done', data, text: rows.length === 0 ? 'No receipts.' : printTable(headings, rows) + more }
  },
}

function listParams({ options }: CommandInput): Params<'operator.receipts.list'> {
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
  const name = stateNames[given] ?? given
  const state = Object.values(receiptStates).find(
    (each) => String(each) === given || receiptStates[name as keyof typeof receiptStates] === each,
  )
  if (state === undefined)
    throw new ExitError('usage', `--state must be a number or name of docs/reference/payment-states.md, such as 20 or unknown.`)
  return state
}

/** Names that differ from those of `receiptStates`: as the documentation has it, and as it was in the first version. */
const stateNames: Readonly<Record<string, keyof typeof receiptStates>> = Object.freeze({
  awaiting_merchant: 'awaitingMerchant',
  closing: 'awaitingMerchant',
})

export const receiptsShow: Command = {
  name: 'receipts show',
  args: '<receipt>',
  summary: 'Shows a receipt: its state, what happens next, the calls for it and its history.',
  details: 'Exit code 1 when the row was changed outside the service.',
  async run(input) {
    const [receiptId = ''] = requireArguments(input.args, 1, 1, 'receipts show <receipt>')
    const data = await callService(input, 'operator.receipts.get', { receiptId })
    return { exit: data.receipt.hasValidMac ? 'done' : 'findings', data, text: formatDetails(data) }
  },
}

const resolveShape =
  'receipts resolve <receipt> (--paid-at <time> | --not-paid | --merchant-informed) --reference <text> --reason <text> --yes'

export const receiptsResolve: Command = {
  name: 'receipts resolve',
  args: '<receipt>',
  summary:
    'Records what the network’s statement says of a payment whose outcome is unknown (state 20), or that the merchant knows of a refund.',
  details:
    '--paid-at: the statement shows the debit; the money is returned, and the receipt goes to state 21, then 50.\n' +
    '--not-paid: the statement does not show it; the receipt goes to state 0 and can be paid again. This cannot be undone.\n' +
    '--merchant-informed: the merchant knows of a refund that its endpoint did not confirm (state 50, flagged); the flag is removed.\n' +
    'Reference and reason are stored, and the audit gets receipt.resolved. Step by step: docs/operating/stuck-payment.md.',
  options: [
    { name: 'paid-at', takes: '<time>', meaning: 'When the card was debited, by the statement: 2026-01-31T09:00:00Z.' },
    { name: 'not-paid', meaning: 'The statement shows no debit.' },
    { name: 'merchant-informed', meaning: 'The merchant was informed of the refund.' },
    {
      name: 'reference',
      takes: '<text>',
      meaning: 'The network’s reference of the debit, the number of the statement, or of the message to the merchant.',
    },
    { name: 'reason', takes: '<text>', meaning: 'The reason for the decision: 3 to 200 characters, without card numbers.' },
    { name: 'yes', meaning: 'Confirm.' },
  ],
  async run(input) {
    const [receiptId = ''] = requireArguments(input.args, 1, 1, resolveShape)
    const { options } = input
    const isNotPaid = options.has('not-paid')
    const isMerchantInformed = options.has('merchant-informed')
    const [paidAt, reference, reason] = ['paid-at', 'reference', 'reason'].map((name) => options.get(name))
    if ([isNotPaid, isMerchantInformed, paidAt !== undefined].filter(Boolean).length !== 1) {
      throw new ExitError(
        'usage',
        'What is to be recorded is missing: either --paid-at <time> or --not-paid, by the statement of the network, or --merchant-informed.',
      )
    }
    if (reference === undefined || reason === undefined) {
      throw new ExitError('usage', 'Reference or reason is missing: --reference <text> --reason <text>')
    }
    const params = { receiptId, paidAt: paidAt === undefined ? null : timeOf(paidAt), isMerchantInformed, reference, reason }
    if (!options.has('yes')) return requireConfirmation(input, params)
    const data = await callService(input, 'operator.receipts.resolve', params)
    const { state, stateName } = data.receipt
    return { exit: 'done', data, text: `Receipt ${receiptId} is now in state ${String(state)} (${stateName}). ${data.next}` }
  },
}

/** Without --yes: shows the receipt, so that the operator can compare it with the statement. */
async function requireConfirmation(
  input: CommandInput,
  { receiptId, paidAt, isMerchantInformed }: { receiptId: string; paidAt: number | null; isMerchantInformed: boolean },
): Promise<CommandOutcome> {
  const facts = await callService(input, 'operator.receipts.get', { receiptId })
  const consequence = isMerchantInformed
    ? 'The receipt would no longer be flagged.'
    : paidAt === null
      ? 'The receipt would become payable again (state 0). This cannot be undone.'
      : 'The money would be returned (state 21).'
  throw new ExitError(
    'usage',
    `${formatDetails(facts)}\n\n${consequence} Nothing was done. If that is right, repeat the command with --yes.`,
  )
}

function timeOf(given: string): number {
  const at = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(at))
    throw new ExitError('usage', '--paid-at must be a time with its zone: 2026-01-31T09:00:00Z or 2026-01-31T14:00:00+05:00.')
  return at
}

function formatDetails({ receipt, meaning, next, operations, history }: Result<'operator.receipts.get'>): string {
  const { state, stateName, amountTiyin, takenTiyin, ...rest } = receipt
  const facts = printFields({
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
