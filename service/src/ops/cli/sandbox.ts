import { callService } from './control-client.ts'
import { printTable, requireArguments, type Command } from './command.ts'
import { ExitError } from '../exits.ts'

const merchantOption = { name: 'merchant', takes: '<id>', meaning: 'The merchant; the demo merchant by default.' }

export const sandboxSteps: Command = {
  name: 'sandbox steps',
  summary: 'Lists the test cards with their scenarios and the step at which each takes effect.',
  options: [merchantOption],
  async run(input) {
    const data = await callService(input, 'operator.sandbox.get', merchantOf(input.options))
    const rows = data.steps.map(({ number, scenario, step }) => [number, scenario, step])
    return { exit: 'done', data, text: `Merchant ${data.merchantId}\n${printTable(['test card', 'scenario', 'step'], rows)}` }
  },
}

export const sandboxStep: Command = {
  name: 'sandbox step',
  args: '<scenario> <step>',
  summary: 'Sets the step at which a scenario takes effect.',
  details:
    'Scenarios of cards: sms_not_connected, card_expired, card_blocked, system_error, network_timeout; steps create, get_verify_code, verify, pay.\n' +
    'The scenario network affects every card when money moves. An operation (cards.verify), or sms, is a scenario as well, with faults as steps.\n' +
    'All of them are in docs/guides/sandbox.md.',
  options: [merchantOption],
  async run(input) {
    const [scenario = '', step = ''] = requireArguments(input.args, 2, 2, 'sandbox step <scenario> <step>')
    const data = await callService(input, 'operator.sandbox.setStep', { scenario, step, ...merchantOf(input.options) })
    return { exit: 'done', data, text: `${scenario} is set to ${step}.` }
  },
}

export const sandboxInbox: Command = {
  name: 'sandbox inbox',
  summary: 'Shows the SMS that the sandbox would have sent, newest first.',
  options: [{ name: 'count', takes: '<n>', meaning: 'How many; 20 by default, 100 at most.' }],
  async run(input) {
    const count = Number(input.options.get('count') ?? 20)
    if (!Number.isInteger(count) || count < 1 || count > 100) throw new ExitError('usage', '--count must be a whole number from 1 to 100.')
    const data = await callService(input, 'operator.sandbox.inbox', { count })
    const rows = data.inbox.map(({ at, phone, text }) => [at, phone, text.replaceAll('\n', ' ⏎ ')])
    return { exit: 'done', data, text: rows.length === 0 ? 'The inbox is empty.' : printTable(['sent', 'to', 'text'], rows) }
  },
}

export const sandboxLimits: Command = {
  name: 'sandbox limits',
  args: '<on|off>',
  summary: 'Turns the limits of production on for one merchant, with counters at zero, or off.',
  options: [{ ...merchantOption, meaning: 'The merchant; the demo merchant by default.' }],
  async run(input) {
    const [state] = requireArguments(input.args, 1, 1, 'sandbox limits <on|off>')
    if (state !== 'on' && state !== 'off') throw new ExitError('usage', 'sandbox limits must be on or off.')
    const data = await callService(input, 'operator.sandbox.setLimits', { on: state === 'on', ...merchantOf(input.options) })
    return { exit: 'done', data, text: `The limits are now ${state}.` }
  },
}

export const sandboxClock: Command = {
  name: 'sandbox clock',
  args: '[<duration>|now]',
  summary: 'Moves the time of the test environment ahead, or back to the machine’s time.',
  details:
    'A duration is a number and s, m, h or d: 200s, 30m, 25h, 8d; 400d at most. It is added to the machine’s time. Without one, shows the current offset.\n' +
    'Codes, tokens, form sessions and holds expire as if the time had passed. It is reset when the service stops.',
  async run(input) {
    const [duration] = requireArguments(input.args, 0, 1, 'sandbox clock [<duration>|now]')
    const offset = duration === undefined ? {} : { offsetMs: parseDuration(duration) }
    const data = await callService(input, 'operator.sandbox.moveClock', offset)
    const { offsetMs } = data
    return { exit: 'done', data, text: offsetMs === 0 ? 'The time is the machine’s.' : `The time is ${formatDuration(offsetMs)} ahead.` }
  },
}

export const sandboxRestore: Command = {
  name: 'sandbox restore',
  summary: 'Resets every control of a merchant, and the time.',
  options: [{ ...merchantOption, meaning: 'The merchant; the demo merchant by default.' }],
  async run(input) {
    const data = await callService(input, 'operator.sandbox.restore', merchantOf(input.options))
    return { exit: 'done', data, text: 'All controls were reset.' }
  },
}

export const sandboxReset: Command = {
  name: 'sandbox reset',
  args: '<merchant>',
  summary: 'Removes a merchant’s cards and deletes its receipts, events, SMS and counts.',
  details: 'Its users, settings, passwords, webhooks and the audit stay. The merchant must be named, so that none is emptied by mistake.',
  async run(input) {
    const [merchantId = ''] = requireArguments(input.args, 1, 1, 'sandbox reset <merchant>')
    const data = await callService(input, 'operator.sandbox.reset', { merchantId })
    const rest = data.isComplete ? '' : ' There is more: repeat the command.'
    return { exit: 'done', data, text: `${data.cards} cards removed, ${data.rows} rows deleted.${rest}` }
  },
}

function parseDuration(text: string): number {
  if (text === 'now') return 0
  const [, count, unit] = /^([0-9]{1,8})([smhd])$/.exec(text) ?? []
  if (count === undefined || unit === undefined) throw new ExitError('usage', 'A duration is a number and s, m, h or d: 30m; or now.')
  return Number(count) * unitMs[unit as keyof typeof unitMs]
}

/** In the largest unit without a remainder. */
function formatDuration(ms: number): string {
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
