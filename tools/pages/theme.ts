import { themePairs } from '@tessera/contract/contrast'
import { formLabels } from '@tessera/contract/frame'
import { themeLengths, themeSchemes, themeVariables, type ThemeVariable } from '@tessera/contract/theme'
import { themeTable } from '@tessera/contract/theme-table'

import { page, printedFrom, markdownTable } from './markdown.ts'

/** Prints the page of the card form's theme: variables, valid values, required contrast. */
export function printThemePage(): string {
  return page(
    '# Theme of the card form',
    printedFrom('contract/src/theme.ts, theme-table.ts and contrast.ts'),
    `The option \`theme\` of \`CardForm\` is an object of these variables. A value applies to both schemes, unless \`theme.dark\` has another one for
the dark scheme. \`theme.scheme\` is ${themeSchemes.map((scheme) => `\`${scheme}\``).join(', ')}: \`auto\`, the default, follows the cardholder's
device.`,
    '```js\n' +
      `new Tessera.CardForm({
  merchant,
  theme: { accent: '#0a7d5a', radius: '6px', dark: { accent: '#5fd6ab', accentText: '#06231a' } },
})\n` +
      '```',
    markdownTable(
      ['variable', 'changes', 'valid values', 'light', 'dark'],
      themeVariables.map((name) => {
        const { changes, light, dark } = themeTable[name]
        return [`\`${name}\``, changes, describeValues(name), `\`${light}\``, light === dark ? 'the same' : `\`${dark}\``]
      }),
    ),
    `A **color** is \`#rgb\`, \`#rrggbb\`, \`rgb(1, 2, 3)\` or \`hsl(120, 50%, 40%)\`, with commas or spaces, in whole numbers, without transparency. A
**length** is a number of \`px\`, \`em\` or \`rem\`; an em counts as 16px. **Fonts** are names separated by commas, quoted or not. Nothing else
is valid: no \`url()\`, no \`var()\`, no \`calc()\` or other function, no CSS keyword, no character that ends a rule. An invalid value is ignored,
the form uses its default, and an \`error\` event reports it with the reason \`option_refused\` and the member \`option\`, such as
\`theme.accent\`. An empty text counts as missing.`,
    '![Three themes: round and green, the same in the dark scheme, paper and serif; layouts stacked, row and compact](../pictures/form-themes.png)',
    '## Contrast',
    `In the test environment and in the dashboard's form builder, these pairs are measured in every scheme in which the theme may be shown. Each
pair below its limit (WCAG 2.2 AA, 1.4.3 for texts, 1.4.11 for borders) is reported by a \`warning\` event with \`of\`, \`on\`, \`scheme\`,
\`ratio\`, \`needed\` and a \`suggestion\`. The form shows the theme as requested: [decision 23](../decisions/0023-theme.md) explains why.`,
    markdownTable(
      ['of', 'on', 'at least'],
      themePairs.map(([of, on, needed]) => [`\`${of}\``, `\`${on}\``, `${String(needed)}:1`]),
    ),
    `A border may have less contrast if the fill of the field has 3:1 itself; with \`borderWidth: '0px'\` the fill must have it. A theme with few
colors is measured with the form's defaults for the others: \`background: '#fff'\` alone is unreadable on a device with the dark scheme, and is
reported.`,
    `The consent, the footer and their links have fixed colors and a fixed font in each scheme, which no variable changes.`,
    '## Labels',
    `The option \`labels\` replaces the texts of ${formLabels.map((name) => `\`${name}\``).join(' ')}, each with at most 60 characters. The provider's name, the terms, the privacy notice, the consent and
the error messages cannot be replaced: such a label is rejected with \`option_refused\`.`,
  )
}

function describeValues(name: ThemeVariable): string {
  if (name === 'fontFamily') return 'fonts'
  if (!(name in themeLengths)) return 'a color'
  const [least, most] = themeLengths[name as keyof typeof themeLengths]
  return `a length, ${String(least)} to ${String(most)}px`
}
