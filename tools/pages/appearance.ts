import { shapePairs, textPairs } from '@tessera/contract/appearance-contrast'
import { appearanceExamples } from '@tessera/contract/appearance-examples'
import { appearanceFontSizes, appearanceLengths, listProperties, maxShadows, shadowLengths } from '@tessera/contract/appearance-syntax'
import {
  appearanceLabels,
  appearanceProperties,
  appearanceStates,
  type Appearance,
  type AppearancePart,
  type AppearanceProperty,
} from '@tessera/contract/appearance'
import { formLabels } from '@tessera/contract/frame'
import { themeLengths, themeSchemes, themeVariables, transparentVariables, type ThemeVariable } from '@tessera/contract/theme'
import { themeTable } from '@tessera/contract/theme-table'

import { fence, page, printedFrom, markdownTable } from './markdown.ts'

/** Prints the page of the card form's appearance: variables, rules, required contrast. */
export function printAppearancePage(): string {
  return page(
    '# Appearance of the card form',
    printedFrom('contract/src/appearance.ts, appearance-syntax.ts, appearance-contrast.ts, theme.ts and theme-table.ts'),
    `The option \`appearance\` of \`CardForm\` makes the form look like your page: \`variables\` that several parts share, \`rules\` for single parts
and their states, \`labels\`, \`scheme\` and a \`font\`. All are optional.`,
    fence('js', `new Tessera.CardForm({\n  merchant,\n  appearance: ${literal(shortExample, '  ')},\n})`),
    `An invalid member is ignored, the form uses its default, and an \`error\` event reports it with the reason \`option_refused\` and the member
\`option\`, such as \`appearance.rules[".Input"].margin\`. An empty text counts as missing. \`update({ appearance })\` merges: members that you do
not name stay, and \`undefined\` gives one its default again. A property of \`<tessera-card>\` or of the React component replaces all of it.`,
    '## Scheme',
    `\`scheme\` is ${code(themeSchemes)}. With \`page\`, the default, the form is light where your page is light and dark where it is dark: the SDK
looks at the nearest background around the form that is not transparent and, where there is none or only a picture, at the color of the text. It
looks again when that color changes, and after \`update()\`. \`auto\` follows the cardholder's device instead, for pages that do so in
every place. A value of \`variables\` and \`rules\` applies to both schemes, unless \`dark.variables\` or \`dark.rules\` has another one.`,
    '## Variables',
    markdownTable(
      ['variable', 'changes', 'valid values', 'light', 'dark'],
      themeVariables.map((name) => {
        const { changes, light, dark } = themeTable[name]
        return [`\`${name}\``, changes, describeValues(name), `\`${light}\``, light === dark ? 'the same' : `\`${dark}\``]
      }),
    ),
    `A **color** is \`#rgb\`, \`#rrggbb\`, \`rgb(1, 2, 3)\` or \`hsl(120, 50%, 40%)\`, with commas or spaces, in whole numbers.
${code(transparentVariables, ' and ')} may also be \`transparent\`; no other color may, and none may be half transparent. A **length** is a number of \`px\`, \`em\` or
\`rem\`; an em counts as 16px. **Fonts** are names separated by commas, quoted or not. Nothing else is valid: no \`url()\`, no \`calc()\` or other
function, no CSS keyword, no character that ends a rule.`,
    `With \`background: 'transparent'\` your page is seen behind the form. Consent and footer keep a background of their own.`,
    `The option \`theme\`, which came before \`appearance\`, still works: an object of these variables with \`scheme\` and \`dark\`. Where both have
a variable, that of \`appearance\` applies.`,
    '## Rules',
    `The name of a rule is a part, or a part in a state, exactly as listed here. Other selectors are refused, also valid CSS. When two states
hold at once, the one further right applies. A state has only the properties that do not change the size of the part: ${code(statePaint())}.`,
    markdownTable(
      ['part', 'is', 'states'],
      parts.map((part) => [
        `\`.${part}\``,
        partDescriptions[part],
        appearanceStates[part].map((state) => `\`.${part}${state}\``).join(' '),
      ]),
    ),
    markdownTable(
      ['property', 'valid values', 'of'],
      appearanceProperties.map((property) => [`\`${property}\``, propertyValues[property], partsWith(property)]),
    ),
    `Wherever a rule has a color, it may be a variable: \`var(--accent)\`, and likewise ${code(colorVariables)}. A background or border may also be
\`transparent\`, \`var(--background)\` or \`var(--field)\`. A color of a shadow may be half transparent: \`rgba(0, 0, 0, 0.1)\`, \`#0001\`.`,
    `A shadow or an outline outside a part needs room: the form then has a space of as many pixels around it, at most 12. For fields that stand in line
with yours all the same, give the element around the form a negative margin of that size. A shadow that reaches the texts around its part, and on whose color they
would have less than 2:1, is refused. So are shadows that leave so little only together: those of one rule, of two fields, and of a field and the button.`,
    `There is no property that moves a part, hides it, or puts something over another: no \`position\`, \`margin\`, \`transform\`, \`opacity\`,
\`content\`, \`animation\`, \`background-image\`. Consent, footer and test mark are no part. [Decision 90](../decisions/0090-appearance.md) explains why.`,
    '## Labels above and inside',
    `\`labels\` is ${code(appearanceLabels)}. A floating label stands in its field while that is empty, and above the text as soon as the field is used.
\`.Label--floating\` is the label above the text.`,
    `The option \`labels\` of the form itself is another one. It replaces the texts of ${code(formLabels)}, each with at most 60 characters, and at least
one letter or digit. The provider's name, the terms, the privacy notice, the consent and the error messages cannot be replaced: such a label is
rejected with \`option_refused\`.`,
    '## Font',
    `\`font\` is one font file as a data URL in base64, at most 1 MiB, which may be a variable font. Most bundlers make one of an import:`,
    fence('js', `import font from './brand.woff2?inline'\n\nnew Tessera.CardForm({ merchant, appearance: { font } })`),
    `Without a bundler, your page reads the file:`,
    fence(
      'js',
      `const file = await (await fetch('/fonts/brand.woff2')).blob()\nconst reader = new FileReader()\nreader.onload = () => form.update({ appearance: { font: reader.result } })\nreader.readAsDataURL(file)`,
    ),
    `The form's origin needs no permission for it: \`connect-src\` of your Content-Security-Policy and, for a file of another
origin, CORS decide. A file that comes when something is typed already is not used. The form itself loads nothing: a font in several files with
\`unicode-range\` would tell its host which digits were typed ([decision 91](../decisions/0091-page-scheme-and-font.md)). \`fontFamily\`
holds the fonts for everything that the file lacks.`,
    '## Contrast',
    `In the test environment and in the dashboard's form builder, these pairs are measured in every scheme in which
the form may be shown, and in every state that a rule changes. Each pair below its limit (WCAG 2.2 AA, 1.4.3 for texts, 1.4.11 for borders) is
reported by a \`warning\` event with \`of\`, \`on\`, \`property\`, \`scheme\`, \`ratio\`, \`needed\` and a \`suggestion\`. \`of\` and \`on\` are variables, or
rules such as \`.Button:hover\`, and \`property\` is what has the color \`of\`.`,
    markdownTable(
      ['part', 'of', 'on', 'at least'],
      [
        ...textPairs.map(([part, of, on, needed]) => [`\`.${part}\``, `\`${of}\``, `\`${on}\``, `${String(needed)}:1`]),
        ...shapePairs.map(([of, on, needed]) => ['', `\`${of}\``, `\`${on}\``, `${String(needed)}:1`]),
      ],
    ),
    `The form shows colors as requested, unless nobody could see a text: below 2:1, in any combination of states, a variable gets the
suggested color, and a part loses the colors of its rules. A placeholder and a disabled part may be as pale as you like. A border may
have less contrast if the fill of the field has 3:1 itself; without a border the fill must have it. What a transparent form stands on is not known: it
counts as white in the light scheme, and as the form's own dark in the dark one.`,
    `Colors of one scheme only are measured with the form's defaults for the others: \`background: '#fff'\` alone is unreadable on a dark page, and is
reported.`,
    `The consent, the footer and their links have fixed colors and a fixed font in each scheme, which nothing changes.`,
    '## Three to start from',
    `The form builder of the dashboard has them too.`,
    ...Object.entries(appearanceExamples).flatMap(([name, example]) => [
      `### ${name}`,
      fence('js', `const appearance = ${literal(example)}`),
    ]),
  )
}

const parts = Object.keys(appearanceStates) as AppearancePart[]

const shortExample: Appearance = {
  variables: { accent: '#0a7d5a', radius: '6px', background: 'transparent' },
  rules: { '.Input:focus': { boxShadow: '0 0 0 3px rgba(10, 125, 90, 0.25)' }, '.Button': { fontWeight: 700 } },
  dark: { variables: { accent: '#5fd6ab', accentText: '#06231a' } },
  labels: 'floating',
}

const partDescriptions: Readonly<Record<AppearancePart, string>> = {
  Label: 'the label of a field',
  Input: 'a field: number, expiry, code',
  'Input::placeholder': 'the placeholder of a field',
  Hint: 'quiet texts: the card that was sent, what is said about the code, the help',
  Error: 'the error of a field',
  Alert: 'an error that belongs to no field',
  Button: 'the main button of a step',
  SecondaryButton: 'the button that requests a new code, with its clock',
  TextButton: 'what looks like a link: another card, stop waiting, help',
  Success: 'the heading of the final step',
}

const line = '`none`, or width, style and color: `1px solid #ccc`'
const paint = 'a color, `transparent`'
const { offset, blur, spread } = shadowLengths
const propertyValues: Readonly<Record<AppearanceProperty, string>> = {
  color: 'a color',
  backgroundColor: paint,
  border: line,
  borderTop: line,
  borderRight: line,
  borderBottom: line,
  borderLeft: line,
  borderColor: paint,
  borderWidth: `one to four lengths, ${range(appearanceLengths.borderWidth)}`,
  borderStyle: '`solid`, `dashed`, `dotted`, `none`',
  borderRadius: `one to four lengths, ${range(appearanceLengths.borderRadius)}`,
  boxShadow: `\`none\`, or up to ${String(maxShadows)} of \`inset\`? x y blur? spread? color: x and y ${range(offset)}, blur ${range(blur)}, spread ${range(spread)}`,
  outlineColor: 'a color. The outline of the focus cannot be removed',
  outlineWidth: `a length, ${range(appearanceLengths.outlineWidth)}`,
  outlineOffset: `a length, ${range(appearanceLengths.outlineOffset)}`,
  padding: `one to four lengths, ${range(appearanceLengths.padding)}`,
  minHeight: `a length of px or rem, ${range(appearanceLengths.minHeight)}`,
  fontFamily: 'fonts on the device. The file of `font` is not used then',
  fontSize: `a length of px or rem: ${Object.entries(appearanceFontSizes)
    .map(([part, bounds]) => `\`${part}\` ${range(bounds)}`)
    .join(', ')}`,
  fontStyle: '`normal`, `italic`',
  fontWeight: '`normal`, `bold`, 100 to 900',
  letterSpacing: `a length, ${range(appearanceLengths.letterSpacing)}`,
  lineHeight: 'a number from 1 to 2',
  textTransform: '`none`, `uppercase`, `lowercase`, `capitalize`',
  textDecoration: '`none`, `underline`',
}

const colorVariables = (['accentText', 'text', 'muted', 'border', 'error', 'success', 'focus'] as const).map((name) => `var(--${name})`)

function statePaint(): readonly AppearanceProperty[] {
  return [...new Set(parts.flatMap((part) => appearanceStates[part].flatMap((state) => listProperties(part, state))))]
}

function partsWith(property: AppearanceProperty): string {
  const those = parts.filter((part) => listProperties(part, '').includes(property))
  return those.length === parts.length ? 'every part' : code(those)
}

function describeValues(name: ThemeVariable): string {
  if (name === 'fontFamily') return 'fonts'
  if (name in themeLengths) return `a length, ${range(themeLengths[name as keyof typeof themeLengths])}`
  return transparentVariables.some((variable) => variable === name) ? paint : 'a color'
}

function range([least, most]: readonly [number, number]): string {
  return `${String(least)} to ${String(most)}px`
}

function code(names: readonly string[], separator = ' '): string {
  return names.map((name) => `\`${name}\``).join(separator)
}

/** A JavaScript literal; what fits is on one line. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string') return value.includes("'") ? `"${value}"` : `'${value}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const members = (deeper: string): string[] =>
    Object.entries(value).map(([name, member]) => `${/^\w+$/.test(name) ? name : `'${name}'`}: ${literal(member, deeper)}`)
  const flat = `{ ${members('').join(', ')} }`
  if (indent.length + flat.length < 100 && !flat.includes('\n')) return flat
  return `{\n${members(`${indent}  `)
    .map((member) => `${indent}  ${member},\n`)
    .join('')}${indent}}`
}
