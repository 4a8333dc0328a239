import { redactSecrets } from './redact-secrets.ts'
import type { RuleId } from './rules.ts'

/** Where something is: line and column of the source, each counted from 1, or a CSS selector in the page that the browser rendered. */
export interface PageLocation {
  readonly line: number | null
  readonly column: number | null
  readonly selector: string | null
}

/** One violation of a rule, ready for JSON. `shown` is an excerpt of at most 160 characters with passwords and card numbers masked. */
export interface FormCheckFinding extends PageLocation {
  readonly rule: RuleId
  /** The file or the address of the page. */
  readonly path: string
  readonly shown: string
  /** Which half of the check found it. */
  readonly half: 'source' | 'browser'
}

export const noLocation: PageLocation = Object.freeze({ line: null, column: null, selector: null })

/** Builds a finding. Masks secrets in the path and in the excerpt. */
export function makeFinding(
  rule: RuleId,
  page: Pick<FormCheckFinding, 'path' | 'half'>,
  location: PageLocation,
  excerpt: string,
): FormCheckFinding {
  const { line, column, selector } = location
  return {
    rule,
    path: redactSecrets(page.path),
    half: page.half,
    line,
    column,
    selector,
    shown: redactSecrets(excerpt).slice(0, maxExcerptLength),
  }
}

/** The check could not be run at all. The message tells the user why and what to do. */
export class FormCheckError extends Error {}

const maxExcerptLength = 160
