import type { ThemeScheme, ThemeValues } from './theme.ts'

/**
 * How the form looks: variables that several parts share, and rules for single parts and their states. Values have strict syntaxes
 * (`appearance-syntax.ts`), and consent, footer and the test mark belong to no part.
 */
export interface Appearance {
  readonly variables?: ThemeValues | undefined
  readonly rules?: AppearanceRules | undefined
  /** What differs in the dark scheme. */
  readonly dark?: { readonly variables?: ThemeValues | undefined; readonly rules?: AppearanceRules | undefined } | undefined
  /** `page`, the default: light or dark as the page around the form. `auto`: as the cardholder's device. */
  readonly scheme?: ThemeScheme | undefined
  /** `floating`: a label stands in its empty field, and above the text as soon as there is one. */
  readonly labels?: AppearanceLabels | undefined
  /**
   * One font file (woff2, woff, ttf or otf) as a data URL in base64, which stands before the fonts of `fontFamily`. It is used when it comes before
   * anything is typed.
   */
  readonly font?: string | undefined
}

/** The parts that rules may name, each with its states. In CSS a rule is `.Input`, `.Input:hover`, `.Input--invalid`. */
// prettier-ignore
export const appearanceStates = {
  Label:                ['--floating', '--invalid'],
  Input:                [':hover', ':focus', '--invalid', ':disabled'],
  'Input::placeholder': [],
  Hint:                 [],
  Error:                [],
  Alert:                [],
  Button:               [':hover', ':focus', ':active', ':disabled'],
  SecondaryButton:      [':hover', ':focus', ':disabled'],
  TextButton:           [':hover', ':focus'],
  Success:              [],
} as const

export const appearanceProperties = [
  'color',
  'backgroundColor',
  'border',
  'borderTop',
  'borderRight',
  'borderBottom',
  'borderLeft',
  'borderColor',
  'borderWidth',
  'borderStyle',
  'borderRadius',
  'boxShadow',
  'outlineColor',
  'outlineWidth',
  'outlineOffset',
  'padding',
  'minHeight',
  'fontFamily',
  'fontSize',
  'fontStyle',
  'fontWeight',
  'letterSpacing',
  'lineHeight',
  'textTransform',
  'textDecoration',
] as const

export const appearanceLabels = ['above', 'floating'] as const

export type AppearancePart = keyof typeof appearanceStates
export type AppearanceSelector = {
  readonly [Part in AppearancePart]: `.${Part}` | `.${Part}${(typeof appearanceStates)[Part][number]}`
}[AppearancePart]
export type AppearanceProperty = (typeof appearanceProperties)[number]
export type AppearanceLabels = (typeof appearanceLabels)[number]

export type AppearanceDeclarations = { readonly [Property in AppearanceProperty]?: string | number | undefined }
export type AppearanceRules = { readonly [Selector in AppearanceSelector]?: AppearanceDeclarations | undefined }
