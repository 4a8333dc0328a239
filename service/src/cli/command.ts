import type { ReadSettings } from '../config/config.ts'

import type { Exit } from '../exits.ts'

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
  /** It asks for no settings, so nothing else would tell that an option is one of nobody's. */
  readonly readsNoSettings?: boolean
  readonly run: (asked: Asked) => Promise<Outcome>
}

export interface CommandOption {
  /** Without the dashes. */
  readonly name: string
  /** What follows it: `<count>`; absent when it stands alone. */
  readonly takes?: string
  readonly meaning: string
}

/** What was typed. */
export interface Asked {
  readonly words: readonly string[]
  readonly options: ReadonlyMap<string, string>
  /** Reads the settings, so that a command that needs none works whatever they say. Throws `SettingsRefused`. */
  readonly settings: () => ReadSettings
  readonly json: boolean
  readonly print: (text: string) => void
}

/** What a command found: the same facts for programs and for people. */
export interface Outcome {
  readonly exit: Exit
  /** Printed with `--json`. */
  readonly facts: unknown
  /** Printed without it; no line when empty. */
  readonly text: string
}
