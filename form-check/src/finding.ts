import { redactSecrets } from './redact-secrets.ts'
import type { RuleId } from './rules.ts'

/** Where something is: line and column of the source, each counted from 1, and a CSS selector; in the browser the selector alone. */
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
  /** What a person reads there: the label of an input, the text of a link; '' when that does not matter. */
  readonly text: string
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
  text = '',
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
    text: redactSecrets(text).slice(0, maxExcerptLength),
  }
}

/** What to do about a page that responds with an error. */
export function statusAdvice(status: number): string {
  if (status === 401 || status === 403) return 'It needs a session: give its cookies with --cookies "name=value; …".'
  if (status === 404) return 'Check the address: it has to be the page with the form itself.'
  return status >= 500 ? 'The server has an error: read its log, and run the check again.' : 'Open it in a browser to see why.'
}

/** What to do about a page that does not open. */
export const openAdvice = 'Check that the address is right and that the server runs and can be reached from this machine.'

/** The check could not be run at all. The message tells the user why and what to do. */
export class FormCheckError extends Error {}

const maxExcerptLength = 160
