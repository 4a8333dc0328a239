import { readFileSync } from 'node:fs'

import { ExitError } from '../exits.ts'

import { callService } from './control-client.ts'
import { requireArguments, type Command, type CommandInput, type CommandOutcome } from './command.ts'

const usage = 'merchants endpoint <set|remove|test> <merchant>'

export const merchantsEndpoint: Command = {
  name: 'merchants endpoint',
  args: '<set|remove|test> <merchant>',
  summary: 'Sets, removes or tests the merchant’s own server, which is called before and after each payment.',
  details:
    'It implements the Payme Merchant API: docs/guides/merchant-endpoint.md. The password is read from a file, never from the command line, and stored encrypted.\n' +
    'test calls CheckPerformTransaction, which changes nothing.',
  options: [
    { name: 'url', takes: '<url>', meaning: 'set: its URL: https, or http to this machine in the test environment.' },
    { name: 'login', takes: '<login>', meaning: 'set: the login for Basic authentication; Paycom by default.' },
    { name: 'password-file', takes: '<file>', meaning: 'set: a file whose first line is the password; - is standard input.' },
    { name: 'sum', takes: '<tiyin>', meaning: 'test: the amount of the payment.' },
    { name: 'account', takes: '<name=value,…>', meaning: 'test: the account fields of the payment.' },
  ],
  async run(input) {
    const [action = '', merchantId = ''] = requireArguments(input.args, 2, 2, usage)
    if (action === 'set') return setEndpoint(input, merchantId)
    if (action === 'test') return testEndpoint(input, merchantId)
    if (action !== 'remove') throw new ExitError('usage', `Usage: tessera ${usage}`)
    const data = await callService(input, 'operator.endpoints.remove', { merchantId })
    return { exit: 'done', data, text: `The endpoint of merchant ${merchantId} was removed.` }
  },
}

async function setEndpoint(input: CommandInput, merchantId: string): Promise<CommandOutcome> {
  const { options } = input
  const url = options.get('url')
  const file = options.get('password-file')
  if (url === undefined || file === undefined) {
    throw new ExitError('usage', 'URL or password is missing: --url https://… --password-file <file>')
  }
  const endpoint = { url, login: options.get('login') ?? 'Paycom', password: await readFirstLine(file) }
  const data = await callService(input, 'operator.endpoints.set', { merchantId, ...endpoint })
  return {
    exit: 'done',
    data,
    text: `Merchant ${merchantId} is called at ${data.endpoint?.url ?? url} before and after each payment.`,
  }
}

async function testEndpoint(input: CommandInput, merchantId: string): Promise<CommandOutcome> {
  const sum = Number(input.options.get('sum') ?? '')
  if (!Number.isSafeInteger(sum) || sum < 1) throw new ExitError('usage', '--sum must be a whole number of tiyin, from 1.')
  const account = readAccount(input.options.get('account') ?? '')
  const data = await callService(input, 'operator.endpoints.test', { merchantId, amountTiyin: sum, account })
  if (data.kind === 'agreed') return { exit: 'done', data, text: 'The merchant would accept this payment.' }
  const text =
    data.kind === 'refused' ? `The merchant refuses this payment: ${JSON.stringify(data.error)}` : `No valid reply: ${data.reason ?? ''}`
  return { exit: 'findings', data, text }
}

function readAccount(text: string): Record<string, string> {
  const fields =
    text === '' ? [] : text.split(',').map((field) => [field.split('=', 1)[0] ?? '', field.slice(field.indexOf('=') + 1)] as const)
  if (fields.some(([name]) => name === '') || (text !== '' && !text.includes('='))) {
    throw new ExitError('usage', '--account must be name=value, separated by commas.')
  }
  return Object.fromEntries(fields)
}

async function readFirstLine(file: string): Promise<string> {
  try {
    const text = file === '-' ? await readInput() : readFileSync(file, 'utf8')
    return text.split(/\r?\n/, 1)[0] ?? ''
  } catch (err) {
    throw new ExitError('usage', `The password could not be read: ${err instanceof Error ? err.message : String(err)}`)
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
