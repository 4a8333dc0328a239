/** The least and the most in px; an em or a rem counts as 16. */
export const themeLengths = { radius: [0, 32], borderWidth: [0, 4], fontSize: [14, 24], gap: [0, 40] } as const
export const themeVariables = [
  ...(['accent', 'accentText', 'background', 'field', 'text', 'muted', 'border', 'error', 'success', 'focus'] as const),
  ...(['radius', 'borderWidth', 'fontSize', 'gap', 'fontFamily'] as const),
] as const
export const themeSchemes = ['auto', 'light', 'dark'] as const

export type ThemeLength = keyof typeof themeLengths
export type ThemeVariable = (typeof themeVariables)[number]
export type ThemeColour = Exclude<ThemeVariable, ThemeLength | 'fontFamily'>
export type ThemeScheme = (typeof themeSchemes)[number]

/** A value of each variable; what is left out is the form's own. */
export type ThemeValues = { readonly [Name in ThemeVariable]?: string | undefined }

/** How the form looks. A value holds in both schemes, unless `dark` has another for the dark one. */
export interface Theme extends ThemeValues {
  readonly scheme?: ThemeScheme | undefined
  readonly dark?: ThemeValues | undefined
}

/**
 * A value of a variable as it may stand in the style; null for one that is not taken. Each kind is held to one whole shape: so there is no url(), no var(), no sign
 * that ends a rule, nothing see-through, and no size that would tear the form apart.
 */
export function readThemeValue(name: ThemeVariable, value: unknown): string | null {
  if (typeof value !== 'string' || value.length > charactersMax) return null
  if (name === 'fontFamily') return readFonts(value)
  return name in themeLengths ? readLength(value, themeLengths[name as ThemeLength]) : takeIf(colour.test(value), value)
}

function readLength(text: string, [least, most]: readonly [number, number]): string | null {
  const [, count, unit = ''] = /^(\d{1,2}(?:\.\d{1,3})?)(px|r?em)$/.exec(text) ?? []
  const pixels = Number(count) * (unit === 'px' ? 1 : 16)
  return takeIf(pixels >= least && pixels <= most, text)
}

/** Names of fonts that are on the cardholder's device, each a name and no word of CSS. */
function readFonts(text: string): string | null {
  const font = /^ *((['"])[a-z\d -]+\2|(?!inherit|initial|unset|revert|default)-?[a-z][a-z\d-]*( [a-z][a-z\d-]*)*) *$/i
  return takeIf(
    text.split(',').every((name) => font.test(name)),
    text,
  )
}

function takeIf(isTaken: boolean, text: string): string | null {
  return isTaken ? text : null
}

/** `#rgb`, `#rrggbb`, `rgb(1, 2, 3)`, `hsl(120 50% 40%)`: commas or blanks, whole numbers, and no fourth part, which would make it see-through. */
const colour = /^(#([\da-f]{3}){1,2}|rgb\(\d{1,3}(, ?| )\d{1,3}\3\d{1,3}\)|hsl\(\d{1,3}(, ?| )\d{1,3}%\4\d{1,3}%\))$/i
const charactersMax = 100
