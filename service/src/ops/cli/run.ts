import { SettingsRefused } from '../config/sources.ts'
import { readConfig, settings } from '../config/config.ts'
import { nearest } from '../nearest.ts'

import { refuseCardNumbers, takeApart } from './arguments.ts'
import type { CommandInput, Command, CommandOutcome } from './command.ts'
import { commands } from './commands.ts'
import { CannotGoOn, exits } from '../exits.ts'
import type { Exit } from '../exits.ts'
import { printCommand, printCommands, printFamily, spelled } from './help.ts'

/** Where a command's words go. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
}

/** Runs one command line and tells the exit code. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const typed = takeApart(
    args,
    ownOptions(),
    settings.map((setting) => setting.flag),
  )
  const json = typed.options.has('json')
  try {
    refuseCardNumbers(typed)
    const outcome = await runTyped(typed, json, terminal)
    if (json) terminal.out(`${JSON.stringify(outcome.facts)}\n`)
    else if (outcome.text !== '') terminal.out(`${outcome.text}\n`)
    return exits[outcome.exit].code
  } catch (err) {
    const { exit, lines } = explain(err)
    if (json) terminal.out(`${JSON.stringify({ error: { exit, code: exits[exit].code, lines } })}\n`)
    else terminal.err(lines.map((line, i) => (i === 0 ? `tessera: ${line}\n` : `  ${line}\n`)).join(''))
    return exits[exit].code
  }
}

type TypedCommand = ReturnType<typeof takeApart>

async function runTyped(typed: TypedCommand, json: boolean, terminal: Terminal): Promise<CommandOutcome> {
  // `tessera help keys rotate` is `tessera keys rotate --help`.
  if (typed.words[0] === 'help')
    return runTyped({ ...typed, words: typed.words.slice(1), options: new Map([...typed.options, ['help', '']]) }, json, terminal)
  const family = familyOf(typed.words)
  if (typed.options.has('help') && family.length > 0)
    return { exit: 'done', facts: { commands: family.map(({ name }) => name) }, text: printFamily(family) }
  const { command, words } = find(typed)
  const [stray] = strayOptions(typed)
  if (command === null && stray !== undefined) throw new CannotGoOn('usage', `There is no option --${stray}. See: tessera help`)
  if (command === null)
    return {
      exit: typed.options.has('help') ? 'done' : 'usage',
      facts: { commands: commands.map(({ name }) => name) },
      text: printCommands(commands),
    }
  if (typed.options.has('help'))
    return { exit: 'done', facts: { command: command.name, summary: command.summary }, text: printCommand(command) }
  refuseForeignOptions(command, typed)
  // What follows a flag that nobody knows stands here as a word: the flag is told, and what else is wrong with the settings.
  if (stray !== undefined && words.length > 0) readConfig(typed.settingArguments)
  if (command.words === undefined && words.length > 0)
    throw new CannotGoOn('usage', `It is: tessera ${spelled(command)}, and no word more.`)
  const input: CommandInput = {
    words,
    options: typed.options,
    json,
    print: terminal.out,
    settings: () => readConfig(typed.settingArguments),
  }
  return command.run(input)
}

/** The command of three words before that of two, and that before one; null when none was typed. Throws when there is no such command. */
function find(typed: TypedCommand): { command: Command | null; words: readonly string[] } {
  const [first, second, third] = typed.words
  if (first === undefined)
    return { command: commands.find(({ name }) => typed.options.has('version') && name === 'version') ?? null, words: [] }
  const byThree = commands.find(({ name }) => name === `${first} ${second ?? ''} ${third ?? ''}`)
  if (byThree !== undefined) return { command: byThree, words: typed.words.slice(3) }
  const byTwo = commands.find(({ name }) => name === `${first} ${second ?? ''}`)
  if (byTwo !== undefined) return { command: byTwo, words: typed.words.slice(2) }
  const byOne = commands.find(({ name }) => name === first)
  if (byOne !== undefined) return { command: byOne, words: typed.words.slice(1) }
  throw new CannotGoOn('usage', unknownCommand(first, second))
}

/** The commands that begin with the words that were typed, where these are no command by themselves: `keys`, `dashboard users`. */
function familyOf(words: readonly string[]): readonly Command[] {
  return words.length === 0 ? [] : commands.filter(({ name }) => name.startsWith(`${words.join(' ')} `))
}

function unknownCommand(first: string, second: string | undefined): string {
  const names = commands.map(({ name }) => name)
  const begun = second !== undefined && familyOf([first, second]).length > 0 ? `${first} ${second}` : first
  const family = familyOf([begun]).map(({ name }) => name.slice(begun.length + 1))
  if (family.length > 0) return `"${begun}" wants one of: ${family.join(', ')}.`
  const guess = (second === undefined ? null : nearest(`${first} ${second}`, names)) ?? nearest(first, names)
  return `There is no command "${first.slice(0, 64)}".${guess === null ? ' See: tessera help' : ` Did you mean: tessera ${guess}`}`
}

function refuseForeignOptions(command: Command, typed: TypedCommand): void {
  const known = new Set(['json', 'help', ...(command.options ?? []).map(({ name }) => name)])
  const settingNames = command.readsNoSettings === true ? typed.settingArguments.map(nameOf) : []
  const foreign = [...typed.options.keys(), ...settingNames].find((name) => !known.has(name))
  if (foreign !== undefined) throw new CannotGoOn('usage', `"${command.name}" takes no --${foreign}. See: tessera ${command.name} --help`)
}

/** What is neither an option of a command nor the flag of a setting. */
function strayOptions({ settingArguments }: TypedCommand): string[] {
  return settingArguments.map(nameOf).filter((name) => !settings.some(({ flag }) => flag === `--${name}`))
}

/** `--port=80` is `port`. */
function nameOf(argument: string): string {
  return argument.replace(/^-+|=.*$/g, '')
}

/** Every option of any command that is no setting, with whether it takes a value. */
function ownOptions(): ReadonlyMap<string, boolean> {
  const all = commands.flatMap(({ options }) => options ?? [])
  return new Map([
    ['json', false],
    ['help', false],
    ['version', false],
    ...all.map(({ name, takes }) => [name, takes !== undefined] as const),
  ])
}

function explain(err: unknown): { exit: Exit; lines: string[] } {
  if (err instanceof SettingsRefused) return { exit: 'settings', lines: ['the settings cannot be used:', ...err.faults] }
  if (err instanceof CannotGoOn) return { exit: err.exit, lines: err.message.split('\n') }
  return { exit: 'fault', lines: [err instanceof Error ? (err.stack ?? err.message) : String(err)] }
}
