import type { ReadSettings } from '../config/config.ts'
import { CannotGoOn, type Exit } from '../exits.ts'

/** One command of `tessera`. */
export interface Command {
  /** As it is typed: `keys rotate`. */
  readonly name: string
  /** Its own words after the name: `<purpose> [merchant]`. */
  readonly words?: string
  /** One line for the list of commands. */
  readonly summary: string
  /** What the operator should know, for `--help`. */
  readonly about?: string
  readonly options?: readonly CommandOption[]
  /** It needs no settings, so that nothing else would refuse an unknown option. */
  readonly readsNoSettings?: boolean
  readonly run: (input: CommandInput) => Promise<CommandOutcome>
}

export interface CommandOption {
  /** Without the dashes. */
  readonly name: string
  /** What follows it: `<count>`; absent when it stands alone. */
  readonly takes?: string
  readonly meaning: string
}

/** What was typed. */
export interface CommandInput {
  readonly words: readonly string[]
  readonly options: ReadonlyMap<string, string>
  /** Reads the settings, so that a command that needs none works whatever they say. Throws `SettingsRefused`. */
  readonly settings: () => ReadSettings
  readonly json: boolean
  readonly print: (text: string) => void
}

/** What a command found: the same for programs and for people. */
export interface CommandOutcome {
  readonly exit: Exit
  /** Printed with `--json`. */
  readonly facts: unknown
  /** Printed without it; no line when empty. */
  readonly text: string
}

/** The words after a command's name. Throws when there are too few or too many. */
export function wordsOf(words: readonly string[], from: number, to: number, shape: string): readonly string[] {
  if (words.length >= from && words.length <= to) return words
  throw new CannotGoOn('usage', `It is: tessera ${shape}`)
}

/** What a cell or a line can show. */
export type Cell = string | number | boolean | null

/** Rows under their headings, each column as wide as its longest cell; for people at a terminal. */
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

/** Facts one a line, their names in a column. */
export function printFacts(facts: Readonly<Record<string, Cell>>): string {
  const width = Math.max(...Object.keys(facts).map((name) => name.length))
  return Object.entries(facts)
    .map(([name, value]) => `${name.padEnd(width)}  ${cellText(value)}`)
    .join('\n')
}

function cellText(value: Cell): string {
  return value === null || value === '' ? '—' : String(value)
}
