import { ask } from './ask.ts'
import type { Command } from './command.ts'
import { CannotGoOn } from '../exits.ts'
import { wordsOf } from './keys.ts'
import { printTable } from './table.ts'

interface ToldStep {
  readonly scenario: string
  readonly number: string
  readonly step: string
}

interface ToldSms {
  readonly at: string
  readonly merchantId: string
  readonly phone: string
  readonly text: string
}

const merchantOption = { name: 'merchant', takes: '<id>', meaning: 'Whose scenarios; the demo merchant by default.' }

export const sandboxSteps: Command = {
  name: 'sandbox steps',
  summary: 'Lists the test cards with their scenarios and the step at which each strikes.',
  options: [merchantOption],
  async run(asked) {
    const facts = (await ask(asked, { ask: 'sandbox.steps', ...merchantOf(asked.options) })) as { merchantId: string; steps: ToldStep[] }
    const rows = facts.steps.map(({ number, scenario, step }) => [number, scenario, step])
    return { exit: 'done', facts, text: `Merchant ${facts.merchantId}\n${printTable(['test card', 'scenario', 'strikes at'], rows)}` }
  },
}

export const sandboxStep: Command = {
  name: 'sandbox step',
  words: '<scenario> <step>',
  summary: 'Sets the step at which a scenario strikes.',
  about:
    'Scenarios of cards: sms_not_connected, card_expired, card_blocked, system_error, network_timeout; steps create, get_verify_code, verify, pay.\n' +
    'The scenario network strikes every card when money moves; its steps are in docs/guides/sandbox.md.',
  options: [merchantOption],
  async run(asked) {
    const [scenario, step] = wordsOf(asked.words, 2, 2, 'sandbox step <scenario> <step>')
    const facts = await ask(asked, { ask: 'sandbox.step', scenario, step, ...merchantOf(asked.options) })
    return { exit: 'done', facts, text: `${String(scenario)} strikes at ${String(step)} from now on.` }
  },
}

export const sandboxInbox: Command = {
  name: 'sandbox inbox',
  summary: 'Shows the SMS that the sandbox would have sent, newest first.',
  options: [{ name: 'count', takes: '<n>', meaning: 'How many; 20 by default, 100 at most.' }],
  async run(asked) {
    const count = Number(asked.options.get('count') ?? 20)
    if (!Number.isInteger(count) || count < 1 || count > 100) throw new CannotGoOn('usage', '--count wants a whole number from 1 to 100.')
    const facts = (await ask(asked, { ask: 'sandbox.inbox', count })) as { inbox: ToldSms[] }
    const rows = facts.inbox.map(({ at, phone, text }) => [at, phone, text.replaceAll('\n', ' ⏎ ')])
    return { exit: 'done', facts, text: rows.length === 0 ? 'The inbox is empty.' : printTable(['sent', 'to', 'text'], rows) }
  },
}

function merchantOf(options: ReadonlyMap<string, string>): { merchantId?: string } {
  const merchantId = options.get('merchant')
  return merchantId === undefined ? {} : { merchantId }
}
