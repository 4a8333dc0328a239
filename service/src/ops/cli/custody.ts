import type { Result } from '@tessera/contract/operations'
import { parseShare, ShareTextError } from '@tessera/vault/share-text'

import { findInvokingUser } from '../config/config.ts'
import { disableCoreDumps } from '../core-dumps.ts'
import { ExitError } from '../exits.ts'

import { printTable, type Command, type CommandInput, type CommandOutcome } from './command.ts'
import { callService } from './control-client.ts'
import { makePrompter } from './prompter.ts'

export const custodianOption = {
  name: 'custodian',
  takes: '<name>',
  meaning: 'Who you are, for the audit; by default the user who ran sudo, or the system user.',
} as const

/** `tessera keys init --shares`: begins a set of shares in the running service, which is sealed until there is one. */
export async function runSharesInit(input: CommandInput): Promise<CommandOutcome> {
  const shares = countOption(input, 'shares')
  const threshold = countOption(input, 'threshold')
  const params = { shares, threshold, isNext: input.options.has('next'), custodian: custodianOf(input) }
  const data = await callService(input, 'operator.shares.create', params)
  const text =
    `The set ${data.setId} of ${String(shares)} shares was made; any ${String(threshold)} of them open it. Each custodian now runs, at a terminal of their own,\n` +
    '  tessera keys take-share\n' +
    'and writes the share down. The set is stored with the last share. Then the custodians enter their shares: tessera keys unseal'
  return { exit: 'done', data, text }
}

export const keysTakeShare: Command = {
  name: 'keys take-share',
  summary: 'Shows the next share of a KEK to one custodian, once.',
  details:
    'After tessera keys init --shares, each custodian runs this at a terminal of their own, with nobody beside them, and writes the share down; tessera keys\n' +
    'check-share says whether it was written down right. Nothing can show it again. Audited with the name and the index.',
  options: [custodianOption],
  async run(input) {
    disableCoreDumps()
    const data = await callService(input, 'operator.shares.take', { custodian: custodianOf(input) })
    const rest =
      data.left === 0
        ? `It was the last: the set is stored. Then: tessera keys unseal`
        : `${String(data.left)} more custodians take theirs: tessera keys take-share`
    const text = `Share ${String(data.index)} of the set ${data.setId}. It is shown once:\n\n${wrapShare(data.share)}\n\n${rest}`
    return { exit: 'done', data, text }
  },
}

export const keysCheckShare: Command = {
  name: 'keys check-share',
  summary: 'Reads a share without showing it, and says whether it was written down right. Needs no service.',
  ignoresSettings: true,
  async run(input) {
    const typed = await askShare(input)
    try {
      const { setId, threshold, x, y } = parseShare(typed)
      y.fill(0)
      const data = { setId, index: x, threshold }
      return { exit: 'done', data, text: `This is share ${String(x)} of the set ${setId}, which ${String(threshold)} shares open.` }
    } catch (err) {
      if (err instanceof ShareTextError) throw new ExitError('usage', `This is not a share: ${err.message}.`)
      throw err
    }
  },
}

export const keysUnseal: Command = {
  name: 'keys unseal',
  summary: "Enters a custodian's share into the service, without showing it.",
  details:
    'Each custodian runs it at a terminal of their own, on every node that starts. With as many shares as the threshold the KEK is in the memory of the service,\n' +
    'which then starts. A service that runs takes the shares of the set that is to replace its KEK; tessera keys rewrap puts it in use. Three wrong entries\n' +
    'are followed by a pause, and after kekCeremonyMinutes the shares of an unfinished ceremony are forgotten. Audited with the name and the index.',
  options: [
    custodianOption,
    {
      name: 'for-rewrap',
      meaning: 'Agrees to tessera keys rewrap instead: with as many as open the set, its keys may be wrapped by the next KEK.',
    },
  ],
  async run(input) {
    const custodian = custodianOf(input)
    const isForRewrap = input.options.has('for-rewrap')
    // Before a custodian types anything.
    await callService(input, 'operator.shares.list', {})
    const share = await askShare(input)
    const data = await callService(input, 'operator.shares.enter', { share, custodian, isForRewrap })
    const progress = `${String(data.received)} of ${String(data.threshold)} shares of the set ${data.setId} are entered`
    const done = isForRewrap ? 'its keys may be wrapped by the next KEK: tessera keys rewrap' : 'its KEK is open.'
    const command = isForRewrap ? 'tessera keys unseal --for-rewrap' : 'tessera keys unseal'
    const text = data.isOpen
      ? `${progress}: ${done}`
      : `${progress}. ${String(data.threshold - data.received)} more custodians enter theirs: ${command}`
    return { exit: 'done', data, text }
  },
}

export const keysShares: Command = {
  name: 'keys shares',
  summary: 'Lists the sets of shares, and how many shares were entered. Works while the service is sealed.',
  async run(input) {
    const data = await callService(input, 'operator.shares.list', {})
    const state = data.isSealed ? 'The service is sealed.' : 'The service is not sealed.'
    if (data.sets.length === 0) return { exit: 'done', data, text: `${state} There is no set of shares.` }
    const rows = data.sets.map((set) => [set.setId, set.threshold, set.shares, set.createdAt, set.received, describeSet(set)])
    return { exit: 'done', data, text: `${state}\n\n${printTable(['set', 'needed', 'shares', 'created', 'entered', 'state'], rows)}` }
  },
}

function describeSet({ isOpen, untaken }: Result<'operator.shares.list'>['sets'][number]): string {
  if (untaken > 0) return `${String(untaken)} shares to be taken`
  return isOpen ? 'open' : 'closed'
}

/** Read without echo at a terminal, else as a line of the input. */
export async function askShare(input: CommandInput): Promise<string> {
  // Before a share can be in the memory of this process.
  disableCoreDumps()
  const prompter = makePrompter(process.stdin, process.stderr, 'interrupted: no share was entered.')
  try {
    return await prompter.askSecret(input.json ? '' : 'Share (it is not shown): ')
  } finally {
    prompter.close()
  }
}

/** Three lines of six groups, to be written down. */
function wrapShare(share: string): string {
  const groups = share.split('-')
  return [0, 6, 12].map((at) => `  ${groups.slice(at, at + 6).join('-')}`).join('\n')
}

export function custodianOf({ options }: CommandInput): string {
  return options.get('custodian') ?? findInvokingUser()
}

function countOption({ options }: CommandInput, name: 'shares' | 'threshold'): number {
  const count = Number(options.get(name) ?? Number.NaN)
  if (Number.isInteger(count) && count >= 2 && count <= 255) return count
  throw new ExitError('usage', `--${name} is a whole number from 2 to 255: tessera keys init --shares 5 --threshold 3`)
}
