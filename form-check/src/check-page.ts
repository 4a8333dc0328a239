import { checkElements, type PageContext } from './check-elements.ts'
import { checkPolicy } from './check-policy.ts'
import { parseSource } from './fields/source-outline.ts'
import type { FormCheckFinding } from './finding.ts'
import { listScripts, type InventoryScript } from './inventory.ts'
import { listPageElements } from './page-elements.ts'
import type { PageSource } from './read-pages.ts'

/** The result of checking the source of one page. */
export interface SourceCheckResult {
  readonly findings: readonly FormCheckFinding[]
  /** All of the page, whether or not its source shows that it takes cards: a script may add the form. */
  readonly scripts: readonly InventoryScript[]
  /** Whether the source shows card inputs or the form. */
  readonly takesCards: boolean
}

/**
 * Checks the source of one page: its markup, frames given in a `srcdoc`, and the inputs that its inline scripts write or make. What other
 * scripts add at run time is not part of it.
 */
export function checkPage({ path, text, policies, origin }: PageSource, formOrigin: string | null = null): SourceCheckResult {
  const { page, written, masks, components } = parseSource(text)
  const elements = listPageElements(page, 'page ', { masks, components })
  const writtenElements = written.flatMap((outline, index) => listPageElements(outline, `written ${index} `, { masks, components }))
  const context: PageContext = { path, half: 'source', origin, formOrigin }
  const all = [...elements, ...writtenElements.filter(({ tag }) => tag !== 'script' && tag !== 'meta')]
  const findings = [...checkElements(all, context), ...checkPolicy(all, policies, context)]
  const takesCards = findings.some(({ rule }) => rule === 'script-inventory')
  const pageAddress = origin === null ? null : path
  return { findings, scripts: listScripts(elements, context, { address: pageAddress, bodies: new Map() }), takesCards }
}
