import type { Rule } from '../../form-check/src/rules.ts'
import { page, printedFrom, table } from './markdown.ts'

/** The page of the rules that `tessera form-check` looks at. */
export function printFormCheckPage(rules: Readonly<Record<string, Rule>>): string {
  return page(
    '# Form check',
    printedFrom('form-check/src/rules.ts'),
    '`tessera form-check <url or folder>` holds the source of a page against these rules; it opens no browser. It ends with 0 when nothing breaks a rule, 1 when something does, 2 when nothing could be checked. Notes break nothing.',
    table(
      ['rule', 'what it says', 'source', 'severity', 'what to do'],
      Object.entries(rules).map(([id, { text, source, severity, advice }]) => [`\`${id}\``, text, source, severity, advice]),
    ),
  )
}
