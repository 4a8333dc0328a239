import { printSettings } from '../config/help.ts'

import type { Command } from './command.ts'
import { exits } from '../exits.ts'

/** `tessera help`: every command in a line, the settings, the exit codes. */
export function printCommands(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => spelled(command).length))
  return [
    'tessera <command> [settings]',
    '',
    'Commands',
    ...commands.map((command) => `  ${spelled(command).padEnd(width)}  ${command.summary}`),
    '',
    'With every command: --help shows details, --json prints JSON.',
    'Commands other than start, settings, form-check, doctor, version and help call the service that runs on the data folder.',
    '',
    'Settings (flag, environment variable; flags win over the environment, the environment over the config file)',
    '',
    printSettings(),
    'Exit codes',
    ...Object.values(exits).map(({ code, meaning }) => `  ${String(code).padStart(3)}  ${meaning}`),
  ].join('\n')
}

/** `tessera <command> --help`. */
export function printCommand(command: Command): string {
  const options = command.options ?? []
  return [
    `tessera ${spelled(command)} [--json]${command.readsNoSettings === true ? '' : ' [settings]'}`,
    '',
    command.summary,
    ...(command.about === undefined ? [] : ['', command.about]),
    ...(options.length === 0
      ? []
      : ['', ...options.map(({ name, takes, meaning }) => `  --${name}${takes === undefined ? '' : ` ${takes}`}   ${meaning}`)]),
    ...settingsOf(command),
  ].join('\n')
}

function settingsOf({ name, readsNoSettings }: Command): string[] {
  if (readsNoSettings === true) return []
  return ['', name === 'start' ? printSettings() : 'The settings, of which --data finds the service: tessera help']
}

/** `tessera keys --help`: the commands that begin so. */
export function printFamily(family: readonly Command[]): string {
  const width = Math.max(...family.map((command) => spelled(command).length))
  return [
    ...family.map((command) => `tessera ${spelled(command).padEnd(width)}  ${command.summary}`),
    '',
    'With every command: --help shows details, --json prints JSON.',
  ].join('\n')
}

/** The shape of a command's words, as it is typed. */
export function spelled({ name, words }: Command): string {
  return words === undefined ? name : `${name} ${words}`
}
