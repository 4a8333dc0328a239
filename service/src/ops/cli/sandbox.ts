import { callService } from './control-client.ts'
import { printTable, wordsOf, type Command } from './command.ts'
import { CannotGoOn } from '../exits.ts'

const merchantOption = { name: 'merchant', takes: '<id>', meaning: 'Whose scenarios; the demo merchant by default.' }

export const sandboxSteps: Command = {
  name: 'sandbox steps',
  summary: 'Lists the test cards with their scenarios and the step at which each takes effect.',
  options: [merchantOption],
  async run(input) {
    const facts = await callService(input, 'operator.sandbox.get', merchantOf(input.options))
    const rows = facts.steps.map(({ number, scenario, step }) => [number, scenario, step])
    return { exit: 'done', facts, text: `Merchant ${facts.merchantId}\n${printTable(['test card', 'scenario', 'step'], rows)}` }
  },
}

export const sandboxStep: Command = {
  name: 'sandbox step',
  words: '<scenario> <step>',
  summary: 'Sets the step at which a scenario takes effect.',
  about:
    'Scenarios of cards: sms_not_connected, card_expired, card_blocked, system_error, network_timeout; steps create, get_verify_code, verify, pay.\n' +
    'The scenario network affects every card when money moves. An operation (cards.verify), or sms, is a scenario as well, with faults as steps.\n' +
    'All of them are in docs/guides/sandbox.md.',
  options: [merchantOption],
  async run(input) {
    const [scenario = '', step = ''] = wordsOf(input.words, 2, 2, 'sandbox step <scenario> <step>')
    const facts = await callService(input, 'operator.sandbox.setStep', { scenario, step, ...merchantOf(input.options) })
    return { exit: 'done', facts, text: `${scenario}: ${step}, from now on.` }
  },
}

export const sandboxInbox: Command = {
  name: 'sandbox inbox',
  summary: 'Shows the SMS that the sandbox would have sent, newest first.',
  options: [{ name: 'count', takes: '<n>', meaning: 'How many; 20 by default, 100 at most.' }],
  async run(input) {
    const count = Number(input.options.get('count') ?? 20)
    if (!Number.isInteger(count) || count < 1 || count > 100) throw new CannotGoOn('usage', '--count wants a whole number from 1 to 100.')
    const facts = await callService(input, 'operator.sandbox.inbox', { count })
    const rows = facts.inbox.map(({ at, phone, text }) => [at, phone, text.replaceAll('\n', ' ⏎ ')])
    return { exit: 'done', facts, text: rows.length === 0 ? 'The inbox is empty.' : printTable(['sent', 'to', 'text'], rows) }
  },
}

export const sandboxLimits: Command = {
  name: 'sandbox limits',
  words: '<on|off>',
  summary: 'Switches the limits of production on for one merchant, with counts at zero, or off.',
  options: [{ ...merchantOption, meaning: 'Whose calls; the demo merchant by default.' }],
  async run(input) {
    const [state] = wordsOf(input.words, 1, 1, 'sandbox limits <on|off>')
    if (state !== 'on' && state !== 'off') throw new CannotGoOn('usage', 'sandbox limits wants on or off.')
    const facts = await callService(input, 'operator.sandbox.setLimits', { on: state === 'on', ...merchantOf(input.options) })
    return { exit: 'done', facts, text: `The limits are ${state} from now on.` }
  },
}

export const sandboxClock: Command = {
  name: 'sandbox clock',
  words: '[<span>|now]',
  summary: 'Moves the time of the test environment ahead, or back to the machine’s time.',
  about:
    'A span is a number and s, m, h or d: 200s, 30m, 25h, 8d; 400d at most. It counts from the machine’s time. Without one: how far it is ahead.\n' +
    'Codes, tokens, form sessions and holds end as if the time had passed. It is reset when the service stops.',
  async run(input) {
    const [span] = wordsOf(input.words, 0, 1, 'sandbox clock [<span>|now]')
    const offset = span === undefined ? {} : { offsetMs: readSpan(span) }
    const facts = await callService(input, 'operator.sandbox.moveClock', offset)
    const { offsetMs } = facts
    return { exit: 'done', facts, text: offsetMs === 0 ? 'The time is the machine’s.' : `The time is ${spelledSpan(offsetMs)} ahead.` }
  },
}

export const sandboxRestore: Command = {
  name: 'sandbox restore',
  summary: 'Resets every control of a merchant, and the time.',
  options: [{ ...merchantOption, meaning: 'Whose controls; the demo merchant’s by default.' }],
  async run(input) {
    const facts = await callService(input, 'operator.sandbox.restore', merchantOf(input.options))
    return { exit: 'done', facts, text: 'Everything is back to normal.' }
  },
}

export const sandboxReset: Command = {
  name: 'sandbox reset',
  words: '<merchant>',
  summary: 'Removes a merchant’s cards and deletes its receipts, events, SMS and counts.',
  about: 'Its users, settings, passwords, webhooks and the audit stay. The merchant must be named, so that none is emptied by mistake.',
  async run(input) {
    const [merchantId = ''] = wordsOf(input.words, 1, 1, 'sandbox reset <merchant>')
    const facts = await callService(input, 'operator.sandbox.reset', { merchantId })
    const rest = facts.isWhole ? '' : ' There is more: ask again.'
    return { exit: 'done', facts, text: `${facts.cards} cards were removed, ${facts.rows} rows dropped.${rest}` }
  },
}

function readSpan(text: string): number {
  if (text === 'now') return 0
  const [, count, unit] = /^([0-9]{1,8})([smhd])$/.exec(text) ?? []
  if (count === undefined || unit === undefined) throw new CannotGoOn('usage', 'A span is a number and s, m, h or d: 30m; or now.')
  return Number(count) * unitMs[unit as keyof typeof unitMs]
}

/** In the largest unit that it is a whole number of, as it is typed. */
function spelledSpan(ms: number): string {
  const [unit, length] = (['d', 'h', 'm'] as const).map((name) => [name, unitMs[name]] as const).find(([, each]) => ms % each === 0) ?? [
    's',
    1000,
  ]
  return `${ms / length}${unit}`
}

const unitMs = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

function merchantOf(options: ReadonlyMap<string, string>): { merchantId?: string } {
  const merchantId = options.get('merchant')
  return merchantId === undefined ? {} : { merchantId }
}
