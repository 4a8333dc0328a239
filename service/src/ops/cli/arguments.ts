import { parseArgs } from 'node:util'

import { holdsCardNumber } from '@tessera/contract/card-number-detector'

import { ExitError } from '../exits.ts'

/** A parsed command line: the positional arguments, the options of commands, and the arguments for the settings. */
export interface CommandLine {
  readonly args: readonly string[]
  readonly options: ReadonlyMap<string, string>
  readonly settingArguments: readonly string[]
}

/** `own`: the options that are not settings, and whether each takes a value. `settingFlags`: the flags of the settings. */
export function parseCommandLine(argv: readonly string[], own: ReadonlyMap<string, boolean>, settingFlags: readonly string[]): CommandLine {
  const { tokens } = parseArgs({
    args: [...argv],
    options: optionDefinitions(own, settingFlags),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const args: string[] = []
  const options = new Map<string, string>()
  const settingArguments: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value)
    if (token.kind !== 'option') continue
    if (own.has(token.name)) options.set(token.name, token.value ?? '')
    else settingArguments.push(token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`)
  }
  return { args, options, settingArguments }
}

/** Throws `ExitError` when an argument contains a card number, because shells store the commands that were typed. */
export function refuseCardNumbers({ args, options }: CommandLine): void {
  const option = [...options].find(([, value]) => holdsCardNumber(value))
  const what = option === undefined ? 'An argument' : `--${option[0]}`
  if (option !== undefined || args.some(holdsCardNumber))
    throw new ExitError('usage', `${what} contains a card number. Remove it from the command, and from the shell's history.`)
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>

function optionDefinitions(own: ReadonlyMap<string, boolean>, settingFlags: readonly string[]): Options {
  const options: Options = {}
  for (const flag of settingFlags) options[flag.slice(2)] = { type: 'string' }
  for (const [name, takesValue] of own) options[name] = { type: takesValue ? 'string' : 'boolean' }
  return { ...options, help: { type: 'boolean', short: 'h' }, version: { type: 'boolean', short: 'v' } }
}
