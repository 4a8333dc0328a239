import type { ThemeVariable } from './theme.ts'

/** What a variable changes, and its default in each scheme. The reference page is printed from this table, and a test compares it with the form's style. */
export interface ThemeVariableInfo {
  readonly changes: string
  readonly light: string
  readonly dark: string
}

const systemFonts = 'system-ui, sans-serif'

export const themeTable = {
  accent: { changes: 'background of the main button', light: '#1457d9', dark: '#8ab4ff' },
  accentText: { changes: 'text of the main button', light: '#fff', dark: '#0c1524' },
  background: { changes: 'background of the whole form', light: '#fff', dark: '#14171c' },
  field: { changes: 'background of a field', light: '#fff', dark: '#1c2027' },
  text: { changes: 'labels, input, the smaller buttons', light: '#16191f', dark: '#f1f3f6' },
  muted: { changes: 'placeholder, card brand, countdown, masked number', light: '#59616e', dark: '#a9b1be' },
  border: { changes: 'border of a field', light: '#7d8694', dark: '#78818f' },
  error: { changes: 'error messages, and the border of a field with an error', light: '#b3161b', dark: '#ff9c98' },
  success: { changes: 'the final confirmation', light: '#0f6b3a', dark: '#7bdca6' },
  focus: { changes: 'outline of the focused element', light: '#1457d9', dark: '#8ab4ff' },
  radius: { changes: 'corners of fields and buttons', light: '8px', dark: '8px' },
  borderWidth: { changes: 'border width of a field', light: '1px', dark: '1px' },
  fontSize: { changes: 'text size; input is never smaller than 16px, because phones would zoom in', light: '16px', dark: '16px' },
  gap: { changes: 'space between elements; 12px in `row`, 9px in `compact`', light: '14px', dark: '14px' },
  fontFamily: { changes: 'fonts installed on the device', light: systemFonts, dark: systemFonts },
} as const satisfies Record<ThemeVariable, ThemeVariableInfo>
