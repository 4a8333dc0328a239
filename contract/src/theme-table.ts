import type { ThemeVariable } from './theme.ts'

/** What a variable changes, and what it is where a theme leaves it out, by scheme. The reference page is printed from this table; a test holds it to the form's style. */
export interface ThemeRow {
  readonly changes: string
  readonly light: string
  readonly dark: string
}

const systemFonts = 'system-ui, sans-serif'

export const themeTable = {
  accent: { changes: 'fill of the main button', light: '#1457d9', dark: '#8ab4ff' },
  accentText: { changes: 'words on the main button', light: '#fff', dark: '#0c1524' },
  background: { changes: 'ground of the whole form', light: '#fff', dark: '#14171c' },
  field: { changes: 'fill of a field', light: '#fff', dark: '#1c2027' },
  text: { changes: 'labels, what is typed, the smaller buttons', light: '#16191f', dark: '#f1f3f6' },
  muted: { changes: 'placeholder, brand of the card, countdown, masked number', light: '#59616e', dark: '#a9b1be' },
  border: { changes: 'edge of a field', light: '#7d8694', dark: '#78818f' },
  error: { changes: 'faults, and the edge of the field that has one', light: '#b3161b', dark: '#ff9c98' },
  success: { changes: 'the confirmation at the end', light: '#0f6b3a', dark: '#7bdca6' },
  focus: { changes: 'ring around what has the focus', light: '#1457d9', dark: '#8ab4ff' },
  radius: { changes: 'corners of fields and buttons', light: '10px', dark: '10px' },
  borderWidth: { changes: 'width of the edge of a field', light: '1px', dark: '1px' },
  fontSize: { changes: 'size of the words; what is typed is never under 16px, or a phone would zoom in', light: '16px', dark: '16px' },
  gap: { changes: 'space between the parts; `compact` has 9px of its own', light: '14px', dark: '14px' },
  fontFamily: { changes: 'fonts, of those on the device', light: systemFonts, dark: systemFonts },
} as const satisfies Record<ThemeVariable, ThemeRow>
