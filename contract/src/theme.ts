const maxLength = 100
/** The variables that may be `transparent`: what is behind the form, or behind a field, is seen through them. */
export const transparentVariables = ['background', 'field'] as const satisfies readonly ThemeVariable[]

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
/** `page`, the default: as the page around the form. `auto`: as the cardholder's device. */
export const themeSchemes = ['page', 'auto', 'light', 'dark'] as const

export type ThemeLength = keyof typeof themeLengths
export type ThemeVariable = (typeof themeVariables)[number]
export type ThemeColor = Exclude<ThemeVariable, ThemeLength | 'fontFamily'>
export type ThemeScheme = (typeof themeSchemes)[number]

/** The values of variables. A missing one has the form's default. */
export type ThemeValues = { readonly [Name in ThemeVariable]?: string | undefined }

/** The variables of an appearance as a flat object, which came before `Appearance`. A value applies to both schemes, unless `dark` has another one. */
export interface Theme extends ThemeValues {
  readonly scheme?: ThemeScheme | undefined
  readonly dark?: ThemeValues | undefined
}

/**
 * Validates the value of a variable; null when it is invalid. Each kind of value has one strict syntax, so there is no url(), no var(), no
 * character that ends a CSS rule, no half transparency, and no size that would break the layout.
 */
export function readThemeValue(name: ThemeVariable, value: unknown): string | null {
  if (typeof value !== 'string' || value.length > maxLength) return null
  if (name === 'fontFamily') return readFonts(value)
  if (name in themeLengths) return validOrNull(isLengthWithin(value, themeLengths[name as ThemeLength]), value)
  const isTransparent = value === 'transparent' && transparentVariables.some((variable) => variable === name)
  return validOrNull(isTransparent || isOpaqueColor(value), value)
}

/** Whether the text is one length of px, em or rem within the bounds, both included. */
export function isLengthWithin(text: string, [minimum, maximum]: readonly [number, number]): boolean {
  const [, count, unit = ''] = /^(-?\d{1,2}(?:\.\d{1,3})?)(px|r?em)$/.exec(text) ?? []
  const pixels = Number(count) * (unit === 'px' ? 1 : 16)
  return pixels >= minimum && pixels <= maximum
}

/** `#rgb`, `#rrggbb`, `rgb(1, 2, 3)`, `hsl(120 50% 40%)`: with commas or spaces, whole numbers, and no alpha value. */
export function isOpaqueColor(text: string): boolean {
  return /^(#([\da-f]{3}){1,2}|rgb\(\d{1,3}(, ?| )\d{1,3}\3\d{1,3}\)|hsl\(\d{1,3}(, ?| )\d{1,3}%\4\d{1,3}%\))$/i.test(text)
}

/** Names of fonts on the cardholder's device. CSS keywords are not valid. */
export function readFonts(text: string): string | null {
  const font = /^ *((['"])[a-z\d -]+\2|(?!inherit|initial|unset|revert|default)-?[a-z][a-z\d-]*( [a-z][a-z\d-]*)*) *$/i
  return validOrNull(
    text.split(',').every((name) => font.test(name)),
    text,
  )
}

function validOrNull(isValid: boolean, text: string): string | null {
  return isValid ? text : null
}
