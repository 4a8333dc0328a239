import type { ThemeVariable } from '@tessera/contract/theme'

/** Where each variable has an effect: an element or its placeholder, and the computed property that gets the value. */
export const themedProperties: Record<
  ThemeVariable,
  { value: string; computed: string; targets: readonly (readonly [selector: string, property: string])[] }
> = {
  accent: {
    value: '#010203',
    computed: 'rgb(1, 2, 3)',
    targets: [
      ['.card .main', 'background-color'],
      ['.code .main', 'background-color'],
    ],
  },
  accentText: {
    value: 'rgb(4, 5, 6)',
    computed: 'rgb(4, 5, 6)',
    targets: [
      ['.card .main', 'color'],
      ['.code .main', 'color'],
    ],
  },
  background: {
    value: '#789',
    computed: 'rgb(119, 136, 153)',
    targets: [['body', 'background-color']],
  },
  field: {
    value: 'rgb(7 8 9)',
    computed: 'rgb(7, 8, 9)',
    targets: [
      ['#number', 'background-color'],
      ['#code', 'background-color'],
    ],
  },
  text: {
    value: 'hsl(210, 50%, 40%)',
    computed: 'rgb(51, 102, 153)',
    targets: [
      ['label[for=number]', 'color'],
      ['#number', 'color'],
      ['#expiry', 'color'],
      ['.back', 'color'],
      ['#sent', 'color'],
    ],
  },
  muted: {
    value: '#0a0b0c',
    computed: 'rgb(10, 11, 12)',
    targets: [
      ['#expiry::placeholder', 'color'],
      ['.card-summary', 'color'],
      ['.progress', 'color'],
      ['p.card', 'color'],
    ],
  },
  border: {
    value: '#0d0e0f',
    computed: 'rgb(13, 14, 15)',
    targets: [
      ['#code', 'border-top-color'],
      ['#code', 'border-inline-start-color'],
    ],
  },
  error: {
    value: '#101112',
    computed: 'rgb(16, 17, 18)',
    targets: [
      ['#number-fault', 'color'],
      ['.whole', 'border-top-color'],
      ['#number[aria-invalid]', 'border-top-color'],
      ['#number:focus-visible', 'outline-color'],
    ],
  },
  success: { value: '#131415', computed: 'rgb(19, 20, 21)', targets: [['.done h2', 'color']] },
  // The field that has the focus has an error, whose color it keeps.
  focus: { value: '#161718', computed: '#161718', targets: [['#number', '--focus']] },
  radius: {
    value: '3px',
    computed: '3px',
    targets: [
      ['#number', 'border-top-left-radius'],
      ['.main', 'border-top-left-radius'],
      ['.whole', 'border-top-left-radius'],
    ],
  },
  borderWidth: {
    value: '3px',
    computed: '3px',
    targets: [
      ['#number', 'border-top-width'],
      ['#code', 'border-inline-end-width'],
    ],
  },
  fontSize: {
    value: '1.25rem',
    computed: '20px',
    targets: [
      ['.root', 'font-size'],
      ['#number', 'font-size'],
      ['.main', 'font-size'],
    ],
  },
  gap: {
    value: '21px',
    computed: '21px',
    targets: [
      ['form.card', 'column-gap'],
      ['.root', 'row-gap'],
      ['form.code', 'row-gap'],
    ],
  },
  fontFamily: {
    value: "'PT Serif', serif",
    computed: '"PT Serif", serif',
    targets: [
      ['.root', 'font-family'],
      ['#number', 'font-family'],
      ['.main', 'font-family'],
      ['label', 'font-family'],
    ],
  },
}

/** Elements that no theme and no label may change. */
export const fixedTexts = [
  'footer p',
  '.who span',
  '.who a:nth-of-type(1)',
  '.who a:nth-of-type(2)',
  '.consent label span',
  '.consent a',
  '#number-fault',
] as const
export const fixedProperties = ['footer', 'footer a', '.consent', '.consent a'].flatMap((selector) =>
  ['color', 'background-color', 'font-size', 'font-family', 'border-radius', 'opacity', 'visibility', 'display'].map(
    (property) => [selector, property] as const,
  ),
)
