import type { UserSettings } from '../../../domain/users/dependencies.ts'
import type { PageReadingCount } from '../../../store/page-watches.ts'
import type { Config } from '../../config/config.ts'
import type { DoctorFinding } from '../doctor-finding.ts'

/** What the rows of the evidence are judged by: everything that `tessera evidence` found out. Has no card number, no secret and no phone. */
export interface EvidenceFacts {
  /** The name of the machine. */
  readonly machine: string
  /** Null when the settings are refused: the findings say why. */
  readonly config: Config | null
  /** What `tessera doctor` found: the checks of a start, outside systems, files, clock and memory. */
  readonly findings: readonly DoctorFinding[]
  /** What a full check of the stored data found; a text says why it could not be made. */
  readonly store: StoredFacts | string
  /** A text says why the keys could not be listed. */
  readonly keys: KeyFacts | string
  /** A text says why the users could not be listed. */
  readonly users: UserFacts | string
  /** After how long sessions of the dashboard end. */
  readonly session: Pick<UserSettings, 'idleMs' | 'absoluteMs'>
  /** A text says why the pages could not be counted. */
  readonly pages: PageReadingCount | string
  /** The script files of the card form, with their hashes for Subresource Integrity; a text says why there are none. */
  readonly scripts: readonly ScriptFact[] | string
  /** Unix milliseconds. */
  readonly now: number
}

/** What `tessera store check` counts and finds. */
export interface StoredFacts {
  readonly cards: number
  readonly rows: number
  readonly entries: number
  readonly chains: number
  /** When the oldest entry of the audit was written, Unix milliseconds; null without entries. */
  readonly oldestEntryAt: number | null
  /** One line each: rows of cards that this service did not write, or that cannot be read. */
  readonly changedCards: readonly string[]
  /** Other rows. */
  readonly changedRows: readonly string[]
  /** Of the audit. */
  readonly chainFaults: readonly string[]
}

export interface KeyFacts {
  readonly active: number
  /** Keys in use behind the end of their cryptoperiod: `card, due 2026-01-31`. */
  readonly overdue: readonly string[]
  /** When the KEK in use wrapped its first key; null when that is not known. */
  readonly kekSince: number | null
}

export interface UserFacts {
  readonly active: number
  readonly withoutSecondFactor: number
}

export interface ScriptFact {
  readonly name: string
  readonly integrity: string
}
