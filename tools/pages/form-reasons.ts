import { page, printedFrom, markdownTable } from './markdown.ts'

// A printed page has a module of its own, as the others do.

/** Prints the page of the card form's reasons, each with an anchor. */
export function printFormReasonsPage(reasons: Readonly<Record<string, string>>): string {
  return page(
    '# Reasons of the card form',
    printedFrom('contract/src/form-reasons.ts'),
    `The reasons of the form's \`error\` event, in addition to those of the wire, which have [their own page](errors.md). The member \`docs\` of an
error is the address of the same text on the form's own origin: \`<form origin>/form/reasons#<reason>\`. A mistake in the page itself is
thrown at once, as a \`CardFormMisuse\` with the same members.`,
    markdownTable(
      ['reason', 'what to do'],
      Object.entries(reasons).map(([reason, hint]) => [`<a id="${reason}"></a>\`${reason}\``, hint]),
    ),
  )
}
