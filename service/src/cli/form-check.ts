import { CannotGoOn } from '../exits.ts'

import type { Asked, Command, Outcome } from './command.ts'

/** Loaded when it runs: no other command needs a parser of HTML. */
export const formCheck: Command = {
  name: 'form-check',
  words: '<url or folder>',
  summary: 'Holds the source of a merchant’s page against the specification’s rules for forms.',
  about:
    'Looks at the source only, not at what scripts add in a browser, and says so. Ends with 0 when nothing breaks a rule, 1 when something does,\n' +
    '2 when nothing could be checked. Notes are an inventory and break nothing. Rules: docs/reference/form-check.md',
  options: [{ name: 'sarif', meaning: 'Prints SARIF 2.1.0.' }],
  run: check,
}

async function check({ words, options }: Asked): Promise<Outcome> {
  const [target] = words
  if (target === undefined || words.length > 1) throw new CannotGoOn('usage', 'It is: tessera form-check <url or folder>')
  const { CannotCheck, readPages } = await import('@tessera/form-check/read-pages')
  const { checkPage } = await import('@tessera/form-check/check-page')
  const { onlyHalf, printSarif, printText } = await import('@tessera/form-check/report')
  const { rules } = await import('@tessera/form-check/rules')
  const pages = await readPages(target).catch((err: unknown) => {
    throw err instanceof CannotCheck ? new CannotGoOn('notChecked', err.message, { cause: err }) : err
  })
  const findings = pages.flatMap(checkPage)
  const sarif = printSarif(findings)
  return {
    exit: findings.some(({ rule }) => rules[rule].severity !== 'note') ? 'found' : 'done',
    facts: options.has('sarif') ? sarif : { pages: pages.length, live: false, note: onlyHalf, findings },
    text: options.has('sarif') ? JSON.stringify(sarif, null, 2) : printText(findings, pages.length),
  }
}
