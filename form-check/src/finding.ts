import { hideSecrets } from './secrets.ts'
import type { RuleId } from './rules.ts'

/** Where something stands: a line and a column of the source, each from 1, or a selector in the page as the browser had it. */
export interface Place {
  readonly line: number | null
  readonly column: number | null
  readonly selector: string | null
}

/** A breach of a rule at a place, plain enough for JSON. `shown` is at most 160 characters of what is there: no password, no card number. */
export interface Finding extends Place {
  readonly rule: RuleId
  /** The file or the address of the page. */
  readonly path: string
  readonly shown: string
  readonly half: 'source' | 'browser'
}

export const nowhere: Place = Object.freeze({ line: null, column: null, selector: null })

export function makeFinding(rule: RuleId, page: Pick<Finding, 'path' | 'half'>, place: Place, shown: string): Finding {
  const { line, column, selector } = place
  return { rule, path: hideSecrets(page.path), half: page.half, line, column, selector, shown: hideSecrets(shown).slice(0, SHOWN_MAX) }
}

const SHOWN_MAX = 160
