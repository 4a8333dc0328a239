import type { FormCheckFinding } from '@tessera/form-check/finding'

/** The input of the parser process. */
export interface PageText {
  /** The page's address without its query, or `pasted`. */
  readonly page: string
  readonly text: string
  /** The Content-Security-Policy headers of the reply. */
  readonly policies: readonly string[]
  /** Null: unknown where the page is served. */
  readonly origin: string | null
  /** The form's origin; null: take it from the page. */
  readonly formOrigin: string | null
}

/** A rule violation, without the page, which is reported beside it. */
export type PageFinding = Pick<FormCheckFinding, 'rule' | 'line' | 'column' | 'shown'>

export interface PageScript {
  /** The script's address, or `inline` with its position. */
  readonly address: string
  /** Identifies the script from check to check: its address, or the content of an inline script. */
  readonly name: string
  readonly fingerprint: string
  readonly integrity: string
  readonly party: 'first' | 'third'
}

/** The result of parsing a page, of bounded size. */
export interface ParsedPage {
  readonly findings: readonly PageFinding[]
  readonly scripts: readonly PageScript[]
  /** True: the lists were truncated. */
  readonly isCut: boolean
}
