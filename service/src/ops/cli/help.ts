import { printSettings } from '../config/help.ts'

import type { Command } from './command.ts'
import { exits } from '../exits.ts'

/** `tessera help`: every command in a line, the settings, the exit codes. */
export function printCommands(commands: readonly Command[]): string {
  const width = Math.max(...commands.map((command) => formatUsage(command).length))
  return [
    'tessera <command> [settings]',
    '',
    'Commands',
    ...commands.map((command) => `  ${formatUsage(command).padEnd(width)}  ${command.summary}`),
    '',
    'With every command: --help shows details, --json prints JSON.',
    'restore and audit accept-restored need a stopped service. keys init comes before the first start; with --shares it calls the service.',
    'init, start, keys check-share, keys node-key, store choose-primary, migrate, retention report, audit verify-export, settings, form-check, scan, doctor, version and help need none.',
    'The others call the service that runs on the data folder; backup, keys backup and store check also work while it is stopped.',
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
    `tessera ${formatUsage(command)} [--json]${command.ignoresSettings === true ? '' : ' [settings]'}`,
    '',
    command.summary,
    ...(command.details === undefined ? [] : ['', command.details]),
    ...(options.length === 0
      ? []
      : ['', ...options.map(({ name, takes, meaning }) => `  --${name}${takes === undefined ? '' : ` ${takes}`}   ${meaning}`)]),
    ...settingsOf(command),
  ].join('\n')
}

function settingsOf({ name, ignoresSettings }: Command): string[] {
  if (ignoresSettings === true) return []
  return ['', name === 'start' ? printSettings() : 'The settings, of which --data finds the service: tessera help']
}

/** `tessera keys --help`: the commands that begin so. */
export function printCommandGroup(family: readonly Command[]): string {
  const width = Math.max(...family.map((command) => formatUsage(command).length))
  return [
    ...family.map((command) => `tessera ${formatUsage(command).padEnd(width)}  ${command.summary}`),
    '',
    'With every command: --help shows details, --json prints JSON.',
  ].join('\n')
}

/** The shape of a command's words, as it is typed. */
export function formatUsage({ name, args }: Command): string {
  return args === undefined ? name : `${name} ${args}`
}
