const maxLength = 100

/** Minimum and maximum in px. An em or a rem counts as 16 px. */
export const themeLengths = { radius: [0, 32], borderWidth: [0, 4], fontSize: [14, 24], gap: [0, 40] } as const
export const themeVariables = [
  'accent',
  'accentText',
  'background',
  'field',
  'text',
  'muted',
  'border',
  'error',
  'success',
  'focus',
  'radius',
  'borderWidth',
  'fontSize',
  'gap',
  'fontFamily',
] as const
export const themeSchemes = ['auto', 'light', 'dark'] as const

export type ThemeLength = keyof typeof themeLengths
export type ThemeVariable = (typeof themeVariables)[number]
export type ThemeColor = Exclude<ThemeVariable, ThemeLength | 'fontFamily'>
export type ThemeScheme = (typeof themeSchemes)[number]

/** The values of variables. A missing one has the form's default. */
export type ThemeValues = { readonly [Name in ThemeVariable]?: string | undefined }

/** The appearance of the form. A value applies to both schemes, unless `dark` has another one for the dark scheme. */
export interface Theme extends ThemeValues {
  readonly scheme?: ThemeScheme | undefined
  readonly dark?: ThemeValues | undefined
}

/**
 * Validates the value of a variable; null when it is invalid. Each kind of value has one strict syntax, so there is no url(), no var(), no
 * character that ends a CSS rule, no transparency, and no size that would break the layout.
 */
export function readThemeValue(name: ThemeVariable, value: unknown): string | null {
  if (typeof value !== 'string' || value.length > maxLength) return null
  if (name === 'fontFamily') return readFonts(value)
  return name in themeLengths ? readLength(value, themeLengths[name as ThemeLength]) : validOrNull(color.test(value), value)
}

function readLength(text: string, [minimum, maximum]: readonly [number, number]): string | null {
  const [, count, unit = ''] = /^(\d{1,2}(?:\.\d{1,3})?)(px|r?em)$/.exec(text) ?? []
  const pixels = Number(count) * (unit === 'px' ? 1 : 16)
  return validOrNull(pixels >= minimum && pixels <= maximum, text)
}

/** Names of fonts on the cardholder's device. CSS keywords are not valid. */
function readFonts(text: string): string | null {
  const font = /^ *((['"])[a-z\d -]+\2|(?!inherit|initial|unset|revert|default)-?[a-z][a-z\d-]*( [a-z][a-z\d-]*)*) *$/i
  return validOrNull(
    text.split(',').every((name) => font.test(name)),
    text,
  )
}

function validOrNull(isValid: boolean, text: string): string | null {
  return isValid ? text : null
}

/** `#rgb`, `#rrggbb`, `rgb(1, 2, 3)`, `hsl(120 50% 40%)`: with commas or spaces, whole numbers, and no alpha value. */
const color = /^(#([\da-f]{3}){1,2}|rgb\(\d{1,3}(, ?| )\d{1,3}\3\d{1,3}\)|hsl\(\d{1,3}(, ?| )\d{1,3}%\4\d{1,3}%\))$/i
