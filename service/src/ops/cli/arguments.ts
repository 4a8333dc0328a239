import { parseArgs } from 'node:util'

import { holdsCardNumber } from '@tessera/contract/card-number-detector'

import { CannotGoOn } from '../exits.ts'

/** A command line, taken apart: the command's words, its own options, and what is left for the settings. */
export interface CommandLine {
  readonly words: readonly string[]
  readonly options: ReadonlyMap<string, string>
  readonly settingArguments: readonly string[]
}

/** `own` are the options that are no settings, with whether they take a value; `settingFlags` the names of the settings' flags. */
export function takeApart(args: readonly string[], own: ReadonlyMap<string, boolean>, settingFlags: readonly string[]): CommandLine {
  const { tokens } = parseArgs({
    args: [...args],
    options: describe(own, settingFlags),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })
  const words: string[] = []
  const options = new Map<string, string>()
  const settingArguments: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value)
    if (token.kind !== 'option') continue
    if (own.has(token.name)) options.set(token.name, token.value ?? '')
    else settingArguments.push(token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`)
  }
  return { words, options, settingArguments }
}

/** Throws `CannotGoOn` for a word or an option's value that holds a card number: shells keep the commands that were typed. */
export function refuseCardNumbers({ words, options }: CommandLine): void {
  const option = [...options].find(([, value]) => holdsCardNumber(value))
  const what = option === undefined ? 'An argument' : `--${option[0]}`
  if (option !== undefined || words.some(holdsCardNumber))
    throw new CannotGoOn('usage', `${what} holds a card number. Take it out of the command, and out of the shell's history.`)
}

type Options = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>

function describe(own: ReadonlyMap<string, boolean>, settingFlags: readonly string[]): Options {
  const options: Options = {}
  for (const flag of settingFlags) options[flag.slice(2)] = { type: 'string' }
  for (const [name, takesValue] of own) options[name] = { type: takesValue ? 'string' : 'boolean' }
  return { ...options, help: { type: 'boolean', short: 'h' } }
}
