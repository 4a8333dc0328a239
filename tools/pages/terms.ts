import { forbiddenInTexts, type Term } from '@tessera/contract/terms'
import { markdownTable, page, printedFrom } from './markdown.ts'

/** Prints the page of the words of the trade in three languages. */
export function printTermsPage(terms: readonly Term[]): string {
  return page(
    '# Terms in three languages',
    printedFrom('contract/src/terms.ts'),
    `What the card form, SMS, the dashboard and this documentation call things, as banks and payment companies of Uzbekistan write. A test reads all of
their texts ([\`tools/terms.test.ts\`](../../tools/terms.test.ts)): where the English text has the term, the others have theirs, and none has what
is not written for it. What the code calls things is in the [glossary](glossary.md).`,
    markdownTable(
      ['English', 'Russian', 'Uzbek', 'meaning'],
      terms.map(({ en, ru, uz, about }) => [en, ru, uz, about]),
    ),
    `No text for people has ${forbiddenInTexts.map(({ name }) => name).join(', ')}; a code stands beside words, never alone; no English
word is left in a Russian or Uzbek text but for names of the wire and of products.`,
  )
}
