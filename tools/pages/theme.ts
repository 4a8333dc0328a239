import { themePairs } from '@tessera/contract/contrast'
import { formLabels } from '@tessera/contract/frame'
import { themeLengths, themeSchemes, themeVariables, type ThemeVariable } from '@tessera/contract/theme'
import { themeTable } from '@tessera/contract/theme-table'

import { page, printedFrom, table } from './markdown.ts'

/** The page of what a theme of the card form may set, what it takes, and what it is held to. */
export function printThemePage(): string {
  return page(
    '# Theme of the card form',
    printedFrom('contract/src/theme.ts, theme-table.ts and contrast.ts'),
    `The option \`theme\` of \`CardForm\` is an object of these variables. A value holds in both schemes, unless \`theme.dark\` has another for the dark one.
\`theme.scheme\` is ${themeSchemes.map((scheme) => `\`${scheme}\``).join(', ')}: \`auto\`, the default, follows the cardholder's device.`,
    '```js\n' +
      `new Tessera.CardForm({
  merchant,
  theme: { accent: '#0a7d5a', radius: '6px', dark: { accent: '#5fd6ab', accentText: '#06231a' } },
})\n` +
      '```',
    table(
      ['variable', 'changes', 'takes', 'light', 'dark'],
      themeVariables.map((name) => {
        const { changes, light, dark } = themeTable[name]
        return [`\`${name}\``, changes, takes(name), `\`${light}\``, light === dark ? 'the same' : `\`${dark}\``]
      }),
    ),
    `A **colour** is \`#rgb\`, \`#rrggbb\`, \`rgb(1, 2, 3)\` or \`hsl(120, 50%, 40%)\`, with commas or with blanks, in whole numbers, and never see-through. A **length** is a
number of \`px\`, \`em\` or \`rem\`; an em counts as 16px. **Fonts** are names with commas between, quoted or not. Nothing else is taken: no \`url()\`, no \`var()\`, no
\`calc()\`, no other function, no word of CSS, no sign that ends a rule. What is not taken is left out, the form's own value stands, and an \`error\` event says so with
the reason \`option_refused\` and the member \`option\`, as \`theme.accent\`. An empty text is as none.`,
    '![Three themes: round and green, the same in the dark, paper and serif; layouts stacked, row and compact](../pictures/form-themes.png)',
    '## What it is held to',
    `In the test environment, and in the dashboard's form builder, these pairs are measured in each scheme that the theme may be seen in. Each that is under its limit
(WCAG 2.2 AA, 1.4.3 for words, 1.4.11 for edges) is told by a \`warning\` event with \`of\`, \`on\`, \`scheme\`, \`ratio\`, \`needed\` and a \`suggestion\`. The form shows the
theme as it was asked for: [decision 23](../decisions/0023-theme.md) says why.`,
    table(
      ['of', 'on', 'at least'],
      themePairs.map(([of, on, needed]) => [`\`${of}\``, `\`${on}\``, `${String(needed)}:1`]),
    ),
    `An edge may be paler where the fill of the field stands out by 3:1 itself; with \`borderWidth: '0px'\` it is the fill that has to. A theme of few colours is measured
with the form's own for the rest: \`background: '#fff'\` alone is unreadable on a device in the dark, and you are told.`,
    `The consent, the footer and their links have colours and a font of their own in each scheme, which no variable touches.`,
    '## Words',
    `The option \`labels\` words ${formLabels.map((name) => `\`${name}\``).join(' ')} in your own way, in at most 60 characters. Who takes the card, the terms, the privacy
notice, the consent and the faults are not among them: such a label is refused with \`option_refused\`.`,
  )
}

function takes(name: ThemeVariable): string {
  if (name === 'fontFamily') return 'fonts'
  if (!(name in themeLengths)) return 'a colour'
  const [least, most] = themeLengths[name as keyof typeof themeLengths]
  return `a length, ${String(least)} to ${String(most)}px`
}
