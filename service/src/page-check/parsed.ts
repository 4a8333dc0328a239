import type { Finding } from '@tessera/form-check/finding'

/** A page as it goes to the process that reads it. */
export interface PageText {
  /** Its address without query, or `pasted`. */
  readonly page: string
  readonly text: string
  /** Every Content-Security-Policy of the reply. */
  readonly policies: readonly string[]
  /** Null: nobody knows where it is served. */
  readonly origin: string | null
  /** The form's own; null: as the page says. */
  readonly formOrigin: string | null
}

/** What breaks a rule, without the page that it stands on: it is told beside. */
export type PageFinding = Pick<Finding, 'rule' | 'line' | 'column' | 'shown'>

export interface PageScript {
  /** Its address, or `inline` with its place. */
  readonly address: string
  /** By what it is known from check to check: the address, or what an inline one says. */
  readonly name: string
  readonly print: string
  readonly integrity: string
  readonly party: 'first' | 'third'
}

/** What the source of a page shows; bounded, whatever the page is. */
export interface ParsedPage {
  readonly findings: readonly PageFinding[]
  readonly scripts: readonly PageScript[]
  /** There was more. */
  readonly isCut: boolean
}
