import type { Result } from '@tessera/contract/operations'

import { ExitError } from '../exits.ts'

import { printTable, requireArguments, type Cell, type Command } from './command.ts'
import { callService } from './control-client.ts'

export const smsFind: Command = {
  name: 'sms find',
  args: '<phone>',
  summary: 'Shows what became of the messages to a phone: why no SMS came.',
  details:
    'The phone is written with its country code: +998901234567. Messages are stored for smsSendsDays with a keyed hash of the phone, never the phone itself.\n' +
    'A message that no gateway was called for is not here: tessera audit list has it, with gateway_unavailable, send_limit_phone or send_refused.\n' +
    'The audit records who looked up which masked phone.',
  options: [{ name: 'count', takes: '<number>', meaning: 'How many messages at most, newest first; 20 by default.' }],
  async run(input) {
    const [given = ''] = requireArguments(input.args, 1, 1, 'sms find <phone>')
    const count = Number(input.options.get('count') ?? 20)
    const data = await callService(input, 'operator.sms.find', { phone: readPhone(given), count })
    const none = `No message to this phone was given to a gateway in the last ${String(data.days)} days.`
    return { exit: 'done', data, text: data.messages.length === 0 ? none : formatMessages(data.messages) }
  },
}

export const smsStatus: Command = {
  name: 'sms status',
  summary: 'Shows, for each SMS gateway, how many messages were sent, accepted, delivered and failed, and how fast.',
  details:
    'Delivered and failed are what gateways report: a gateway whose reports are not read has none (docs/operating/sms.md). A message that was given to two\n' +
    'gateways counts at both.',
  options: [{ name: 'hours', takes: '<number>', meaning: 'The messages of the last so many hours; 24 by default.' }],
  async run(input) {
    requireArguments(input.args, 0, 0, 'sms status')
    const data = await callService(input, 'operator.sms.status', { hours: Number(input.options.get('hours') ?? 24) })
    const headings = ['gateway', 'breaker', 'sent', 'accepted', 'rejected', 'unknown', 'delivered', 'failed', 'segments', 'median delivery']
    const rows = data.gateways.map((each) => [
      each.isConfigured ? each.gateway : `${each.gateway} (not configured)`,
      each.breaker,
      each.sent,
      each.accepted,
      each.rejected,
      each.unknown,
      each.delivered,
      each.failed,
      each.parts,
      each.medianDeliverySeconds === null ? null : `${each.medianDeliverySeconds.toFixed(1)} s`,
    ])
    return { exit: 'done', data, text: `Since ${data.since}:\n\n${printTable(headings, rows)}` }
  },
}

export const smsTest: Command = {
  name: 'sms test',
  args: '<phone>',
  summary: 'Sends a test message to a phone through each SMS gateway, and shows what each replied.',
  details:
    'Each gateway sends one segment, which is charged and counts in no limit. An open breaker does not stop it. Delivery is shown later by tessera sms find.\n' +
    'Exit code 1 when a gateway did not accept its message. The audit records who sent it.',
  options: [{ name: 'gateway', takes: '<name>', meaning: 'Only through this gateway.' }],
  async run(input) {
    const [given = ''] = requireArguments(input.args, 1, 1, 'sms test <phone>')
    const gateway = input.options.get('gateway')
    const data = await callService(input, 'operator.sms.test', { phone: readPhone(given), ...(gateway === undefined ? {} : { gateway }) })
    const rows = data.messages.map((each) => [
      each.gateway,
      each.outcome,
      `${each.milliseconds.toFixed(0)} ms`,
      each.gatewayMessageId,
      each.error,
      each.messageId,
    ])
    const isAccepted = data.messages.every(({ outcome }) => outcome === 'accepted')
    const text = printTable(['gateway', 'outcome', 'replied after', 'message id of the gateway', 'error', 'our message id'], rows)
    return { exit: isAccepted ? 'done' : 'findings', data, text }
  },
}

function formatMessages(messages: Result<'operator.sms.find'>['messages']): string {
  const headings = [
    'requested',
    'for',
    'gateway',
    'outcome',
    'delivered',
    'failed',
    'error',
    'segments',
    'merchant',
    'message id of the gateway',
  ]
  const rows = messages.map((each): Cell[] => [
    each.requestedAt,
    each.subject === '' ? each.purpose : `${each.purpose} ${each.subject}`,
    each.gateway,
    each.outcome,
    each.deliveredAt,
    each.failedAt,
    each.error,
    each.parts,
    each.merchantId,
    each.gatewayMessageId,
  ])
  return printTable(headings, rows)
}

/** Digits only, as the service stores and sends them. */
function readPhone(given: string): string {
  const digits = given.replaceAll(/[+\s()-]/g, '')
  if (!/^[0-9]{9,15}$/.test(digits)) throw new ExitError('usage', 'A phone is 9 to 15 digits, country code first: +998901234567.')
  return digits
}
