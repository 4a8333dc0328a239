import { InvalidSettingsError } from '../config/sources.ts'
import { readConfig, settings } from '../config/config.ts'
import { nearest } from '../nearest.ts'

import { refuseCardNumbers, parseCommandLine } from './arguments.ts'
import type { CommandInput, Command, CommandOutcome } from './command.ts'
import { commands } from './commands.ts'
import { ExitError, exits } from '../exits.ts'
import { explainFileError } from '../file-error.ts'
import type { Exit } from '../exits.ts'
import { makeSystemClock } from '../../system-clock.ts'

import { makeProgressPrinter } from './progress.ts'
import { printCommand, printCommands, printCommandGroup, formatUsage } from './help.ts'

/** Where a command prints. */
export interface Terminal {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether `err` is a terminal, where a line can be replaced. */
  readonly errIsTerminal?: boolean
}

/** Runs one command line and returns the exit code. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  const typed = parseCommandLine(
    args,
    commandOptions(),
    settings.map((setting) => setting.flag),
  )
  const json = typed.options.has('json')
  const clock = makeSystemClock()
  const progress = makeProgressPrinter({
    write: json ? () => undefined : terminal.err,
    isTerminal: terminal.errIsTerminal === true,
    now: () => clock.moment().monotonicMs,
  })
  try {
    refuseCardNumbers(typed)
    const outcome = await runParsed(typed, json, { ...terminal, progress }).finally(progress.end)
    if (json) terminal.out(`${JSON.stringify(outcome.data)}\n`)
    else if (outcome.text !== '') terminal.out(`${outcome.text}\n`)
    return exits[outcome.exit].code
  } catch (err) {
    const { exit, lines } = describeFailure(err)
    if (json) terminal.out(`${JSON.stringify({ error: { exit, code: exits[exit].code, lines } })}\n`)
    else terminal.err(lines.map((line, i) => (i === 0 ? `tessera: ${line}\n` : `  ${line}\n`)).join(''))
    return exits[exit].code
  }
}

type ParsedCommand = ReturnType<typeof parseCommandLine>

type CommandTerminal = Terminal & Pick<CommandInput, 'progress'>

async function runParsed(typed: ParsedCommand, json: boolean, terminal: CommandTerminal): Promise<CommandOutcome> {
  // `tessera help keys rotate` is `tessera keys rotate --help`.
  if (typed.args[0] === 'help')
    return runParsed({ ...typed, args: typed.args.slice(1), options: new Map([...typed.options, ['help', '']]) }, json, terminal)
  const family = commandGroup(typed.args)
  if (typed.options.has('help') && family.length > 0)
    return { exit: 'done', data: { commands: family.map(({ name }) => name) }, text: printCommandGroup(family) }
  const { command, words: args } = findCommand(typed)
  const [stray] = strayOptions(typed)
  refuseMisspeltOption(command, stray)
  if (command === null && stray !== undefined) throw new ExitError('usage', `There is no option --${stray}. See: tessera help`)
  if (command === null)
    return {
      exit: typed.options.has('help') ? 'done' : 'usage',
      data: { commands: commands.map(({ name }) => name) },
      text: printCommands(commands),
    }
  if (typed.options.has('help'))
    return { exit: 'done', data: { command: command.name, summary: command.summary }, text: printCommand(command) }
  refuseUnknownOptions(command, typed)
  // The value of an unknown flag looks like an argument, so the flag is reported first, with all other faults of the settings.
  if (stray !== undefined && args.length > 0) readConfig(typed.settingArguments)
  if (command.args === undefined && args.length > 0)
    throw new ExitError('usage', `Too many arguments. Usage: tessera ${formatUsage(command)}`)
  const input: CommandInput = {
    args,
    options: typed.options,
    json,
    print: terminal.out,
    progress: terminal.progress,
    settings: () => readConfig(typed.settingArguments),
  }
  return command.run(input)
}

/** Finds the command with the longest matching name, of up to three words; null when none was typed. Throws when there is no such command. */
function findCommand(typed: ParsedCommand): { command: Command | null; words: readonly string[] } {
  const [first, second, third] = typed.args
  if (first === undefined)
    return { command: commands.find(({ name }) => typed.options.has('version') && name === 'version') ?? null, words: [] }
  const byThree = commands.find(({ name }) => name === `${first} ${second ?? ''} ${third ?? ''}`)
  if (byThree !== undefined) return { command: byThree, words: typed.args.slice(3) }
  const byTwo = commands.find(({ name }) => name === `${first} ${second ?? ''}`)
  if (byTwo !== undefined) return { command: byTwo, words: typed.args.slice(2) }
  const byOne = commands.find(({ name }) => name === first)
  if (byOne !== undefined) return { command: byOne, words: typed.args.slice(1) }
  throw new ExitError('usage', unknownCommand(first, second))
}

/** The commands whose names begin with these words: `keys`, `dashboard users`. */
function commandGroup(words: readonly string[]): readonly Command[] {
  return words.length === 0 ? [] : commands.filter(({ name }) => name.startsWith(`${words.join(' ')} `))
}

function unknownCommand(first: string, second: string | undefined): string {
  const names = commands.map(({ name }) => name)
  const begun = second !== undefined && commandGroup([first, second]).length > 0 ? `${first} ${second}` : first
  const family = commandGroup([begun]).map(({ name }) => name.slice(begun.length + 1))
  if (family.length > 0) return `"${begun}" needs one of: ${family.join(', ')}.`
  const guess = (second === undefined ? null : nearest(`${first} ${second}`, names)) ?? nearest(first, names)
  return `There is no command "${first.slice(0, 64)}".${guess === null ? ' See: tessera help' : ` Did you mean: tessera ${guess}`}`
}

function refuseUnknownOptions(command: Command, typed: ParsedCommand): void {
  const known = new Set(['json', 'help', ...(command.options ?? []).map(({ name }) => name)])
  const settingNames = command.ignoresSettings === true ? typed.settingArguments.map(nameOf) : []
  const foreign = [...typed.options.keys(), ...settingNames].find((name) => !known.has(name))
  if (foreign !== undefined) throw new ExitError('usage', `"${command.name}" takes no --${foreign}. See: tessera ${command.name} --help`)
}

/** An option that is most like one of the command, or of all commands, is not left to the settings to refuse. */
function refuseMisspeltOption(command: Command | null, stray: string | undefined): void {
  if (stray === undefined) return
  const own = ['json', 'help', 'version', ...(command?.options ?? []).map(({ name }) => name)]
  const flags = command === null || command.ignoresSettings === true ? [] : settings.map(({ flag }) => flag.slice(2))
  const guess = nearest(stray, [...own, ...flags])
  if (guess !== null && own.includes(guess)) throw new ExitError('usage', `There is no option --${stray}. Did you mean --${guess}?`)
}

/** The options that belong neither to a command nor to a setting. */
function strayOptions({ settingArguments }: ParsedCommand): string[] {
  return settingArguments.map(nameOf).filter((name) => !settings.some(({ flag }) => flag === `--${name}`))
}

/** `--port=80` is `port`. */
function nameOf(argument: string): string {
  return argument.replace(/^-+|=.*$/g, '')
}

/** The options of all commands, with whether each takes a value. */
function commandOptions(): ReadonlyMap<string, boolean> {
  const all = commands.flatMap(({ options }) => options ?? [])
  return new Map([
    ['json', false],
    ['help', false],
    ['version', false],
    ...all.map(({ name, takes }) => [name, takes !== undefined] as const),
  ])
}

function describeFailure(err: unknown): { exit: Exit; lines: string[] } {
  if (err instanceof InvalidSettingsError) return { exit: 'invalidSettings', lines: ['invalid settings:', ...err.faults] }
  if (err instanceof ExitError) return { exit: err.exit, lines: [...err.what.split('\n'), ...(err.advice === '' ? [] : [err.advice])] }
  const explained = explainFileError(err)
  if (explained !== null) return describeFailure(explained)
  return { exit: 'internalError', lines: [err instanceof Error ? (err.stack ?? err.message) : String(err)] }
}
