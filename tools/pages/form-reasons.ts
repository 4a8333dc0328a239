import { page, printedFrom, table } from './markdown.ts'

/** The page of what the card form tells beside the reasons of the wire, each with an anchor. */
export function printFormReasonsPage(reasons: Readonly<Record<string, string>>): string {
  return page(
    '# Reasons of the card form',
    printedFrom('contract/src/form-reasons.ts'),
    `What an \`error\` of the form may say beside the reasons of the wire, which are on [their own page](errors.md). The field \`docs\` of an error leads to the same text
at the form's own origin: \`<form origin>/form/reasons#<reason>\`. What the page itself is to mend is thrown at once, as a \`CardFormMisuse\` with the same fields.`,
    table(
      ['reason', 'what to do'],
      Object.entries(reasons).map(([reason, hint]) => [`<a id="${reason}"></a>\`${reason}\``, hint]),
    ),
  )
}
