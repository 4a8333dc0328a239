import { readFileSync } from 'node:fs'

import { CannotGoOn } from '../exits.ts'

import { callService } from './control-client.ts'
import { wordsOf, type Command, type CommandInput, type CommandOutcome } from './command.ts'

const shape = 'merchants endpoint <set|remove|test> <merchant>'

export const merchantsEndpoint: Command = {
  name: 'merchants endpoint',
  words: '<set|remove|test> <merchant>',
  summary: 'Sets, removes or tests the merchant’s own server, which is asked before a payment and notified after it.',
  about:
    'It speaks the Payme Merchant API: docs/guides/merchant-endpoint.md. The password is read from a file, never from the command line, and kept sealed.\n' +
    'test asks CheckPerformTransaction, which changes nothing.',
  options: [
    { name: 'url', takes: '<url>', meaning: 'set: where it is. https, or http to this machine in the test environment.' },
    { name: 'login', takes: '<login>', meaning: 'set: the login of its Basic authentication; Paycom by default.' },
    { name: 'password-file', takes: '<file>', meaning: 'set: a file whose first line is the password; - is standard input.' },
    { name: 'sum', takes: '<tiyin>', meaning: 'test: what would be paid.' },
    { name: 'account', takes: '<name=value,…>', meaning: 'test: for what.' },
  ],
  async run(input) {
    const [deed = '', merchantId = ''] = wordsOf(input.words, 2, 2, shape)
    if (deed === 'set') return setEndpoint(input, merchantId)
    if (deed === 'test') return testEndpoint(input, merchantId)
    if (deed !== 'remove') throw new CannotGoOn('usage', `It is: tessera ${shape}`)
    const facts = await callService(input, 'operator.endpoints.remove', { merchantId })
    return { exit: 'done', facts, text: `Merchant ${merchantId} is asked nothing any more.` }
  },
}

async function setEndpoint(input: CommandInput, merchantId: string): Promise<CommandOutcome> {
  const { options } = input
  const url = options.get('url')
  const file = options.get('password-file')
  if (url === undefined || file === undefined) {
    throw new CannotGoOn('usage', 'Say where it is and how it knows us: --url https://… --password-file <file>')
  }
  const endpoint = { url, login: options.get('login') ?? 'Paycom', password: await readFirstLine(file) }
  const facts = await callService(input, 'operator.endpoints.set', { merchantId, ...endpoint })
  return {
    exit: 'done',
    facts,
    text: `Merchant ${merchantId} is asked at ${facts.endpoint?.url ?? url} before each payment, and told after it.`,
  }
}

async function testEndpoint(input: CommandInput, merchantId: string): Promise<CommandOutcome> {
  const sum = Number(input.options.get('sum') ?? '')
  if (!Number.isSafeInteger(sum) || sum < 1) throw new CannotGoOn('usage', '--sum wants a whole number of tiyin, from 1.')
  const account = readAccount(input.options.get('account') ?? '')
  const facts = await callService(input, 'operator.endpoints.test', { merchantId, amountTiyin: sum, account })
  if (facts.kind === 'agreed') return { exit: 'done', facts, text: 'It would take this payment.' }
  const text =
    facts.kind === 'refused' ? `It refuses: ${JSON.stringify(facts.error)}` : `It did not answer the question: ${facts.reason ?? ''}`
  return { exit: 'found', facts, text }
}

function readAccount(text: string): Record<string, string> {
  const fields =
    text === '' ? [] : text.split(',').map((field) => [field.split('=', 1)[0] ?? '', field.slice(field.indexOf('=') + 1)] as const)
  if (fields.some(([name]) => name === '') || (text !== '' && !text.includes('='))) {
    throw new CannotGoOn('usage', '--account wants name=value, and commas between.')
  }
  return Object.fromEntries(fields)
}

async function readFirstLine(file: string): Promise<string> {
  try {
    const text = file === '-' ? await readInput() : readFileSync(file, 'utf8')
    return text.split(/\r?\n/, 1)[0] ?? ''
  } catch (err) {
    throw new CannotGoOn('usage', `The password could not be read: ${err instanceof Error ? err.message : String(err)}`)
  }
}

async function readInput(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8') as AsyncIterable<string>) {
    text += chunk
    if (text.length > inputLengthMax) break
  }
  return text
}

const inputLengthMax = 4096
