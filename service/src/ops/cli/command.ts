import type { ReadSettings } from '../config/config.ts'
import { ExitError, type Exit } from '../exits.ts'

import type { ProgressPrinter } from './progress.ts'

/** One command of `tessera`. */
export interface Command {
  /** As it is typed: `keys rotate`. */
  readonly name: string
  /** Its arguments, as the help shows them: `<purpose> [merchant]`. */
  readonly args?: string
  /** One line for the list of commands. */
  readonly summary: string
  /** More for `--help`. */
  readonly details?: string
  readonly options?: readonly CommandOption[]
  /** Needs no settings, so an unknown option is not left to them to refuse. */
  readonly ignoresSettings?: boolean
  readonly run: (input: CommandInput) => Promise<CommandOutcome>
}

export interface CommandOption {
  /** Without the dashes. */
  readonly name: string
  /** Its value: `<count>`; absent for a switch. */
  readonly takes?: string
  readonly meaning: string
}

/** The parsed command line of one command. */
export interface CommandInput {
  readonly args: readonly string[]
  readonly options: ReadonlyMap<string, string>
  /** Reads the settings when they are needed, so that other commands work with invalid ones. Throws `InvalidSettingsError`. */
  readonly settings: () => ReadSettings
  readonly json: boolean
  readonly print: (text: string) => void
  /** Shows how far the command is; nothing with `--json`. */
  readonly progress: ProgressPrinter
}

/** The result of a command, for programs and for people. */
export interface CommandOutcome {
  readonly exit: Exit
  /** Printed with `--json`. */
  readonly data: unknown
  /** Printed without `--json`; nothing when empty. */
  readonly text: string
}

/** The arguments of a command. Throws `ExitError` when there are too few or too many. */
export function requireArguments(words: readonly string[], from: number, to: number, shape: string): readonly string[] {
  if (words.length >= from && words.length <= to) return words
  throw new ExitError('usage', `Usage: tessera ${shape}`)
}

/** The value of an option that is a time, Unix milliseconds. Throws `ExitError`. */
export function timeOption({ options }: CommandInput, name: string, byDefault: number): number {
  const given = options.get(name)
  if (given === undefined) return byDefault
  const at = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(at)) throw new ExitError('usage', `--${name} must be a time: 2026-01-31, or 2026-01-31T09:00:00Z.`)
  return at
}

/** A value of a table or a list. */
export type Cell = string | number | boolean | null

/** Formats rows as a table; each column is as wide as its longest cell. */
export function printTable(headings: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [headings, ...rows.map((row) => row.map(cellText))]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Formats fields one per line, with the names in a column. */
export function printFields(fields: Readonly<Record<string, Cell>>): string {
  const width = Math.max(...Object.keys(fields).map((name) => name.length))
  return Object.entries(fields)
    .map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`)
    .join('\n')
}

function cellText(value: Cell): string {
  return value === null || value === '' ? '—' : String(value)
}
