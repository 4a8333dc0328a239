import {
  appearanceProperties,
  appearanceStates,
  type AppearancePart,
  type AppearanceProperty,
  type AppearanceSelector,
} from './appearance.ts'
import { isLengthWithin, isOpaqueColor, readFonts } from './theme.ts'

// What a rule of an appearance may say. Every property has one strict syntax; what it does not match is refused. So there is no url(), no
// expression, no half-transparent text, no character that ends a rule, no property that moves or hides a part, and no size beyond its bounds.

/** A declaration that passed. `part` and `state` are of the table, never the page's own text. */
export interface AppearanceDeclaration {
  readonly part: AppearancePart
  /** Empty for the part itself. */
  readonly state: string
  readonly property: AppearanceProperty
  readonly value: string
}

/** Splits rules into declarations that passed, in the order of the states and then of the page, and the names of everything else. */
export function readRules(
  rules: unknown,
  path = 'rules',
): { readonly passed: readonly AppearanceDeclaration[]; readonly rejected: readonly string[] } {
  if (!isRecord(rules)) return { passed: [], rejected: rules === undefined ? [] : [path] }
  const known = new Map(listSelectors().map((place) => [place.selector as string, place]))
  const passed: AppearanceDeclaration[] = []
  const rejected = namesOf(rules).flatMap((name) => (known.has(name) ? [] : [`${path}[${JSON.stringify(name.slice(0, maxName))}]`]))
  for (const { selector, part, state } of known.values()) {
    const declarations = Object.hasOwn(rules, selector) ? rules[selector] : undefined
    if (declarations === undefined) continue
    const place = `${path}[${JSON.stringify(selector)}]`
    if (!isRecord(declarations)) {
      rejected.push(place)
      continue
    }
    for (const name of namesOf(declarations)) {
      const property = appearanceProperties.find((each) => each === name)
      const value = property === undefined ? null : readAppearanceValue(part, state, property, declarations[name])
      if (property !== undefined && value !== null) passed.push({ part, state, property, value })
      else if ((declarations[name] ?? '') !== '') rejected.push(`${place}.${name.slice(0, maxName)}`)
    }
  }
  return { passed, rejected }
}

/** Validates the value of a property of a part in a state; null when it is invalid, or when the part has no such property there. */
export function readAppearanceValue(part: AppearancePart, state: string, property: AppearanceProperty, value: unknown): string | null {
  const text = Number.isFinite(value) ? String(value) : value
  if (typeof text !== 'string' || text.length > maxValue) return null
  return syntaxOf(part, state, property)?.(text) === true ? text : null
}

/** Every selector that rules may have, in the order in which rules apply: a later state goes over an earlier one. */
export function listSelectors(): { readonly selector: AppearanceSelector; readonly part: AppearancePart; readonly state: string }[] {
  return (Object.keys(appearanceStates) as AppearancePart[]).flatMap((part) =>
    ['', ...appearanceStates[part]].map((state) => ({ selector: `.${part}${state}` as AppearanceSelector, part, state })),
  )
}

/** The properties of a part in a state, as the reference page prints them. */
export function listProperties(part: AppearancePart, state: string): readonly AppearanceProperty[] {
  return appearanceProperties.filter((property) => syntaxOf(part, state, property) !== undefined)
}

/** Minimum and maximum in px. A rem counts as 16px, and an em of `letterSpacing` too. */
export const appearanceLengths = {
  borderWidth: [0, 4],
  borderRadius: [0, 32],
  outlineWidth: [1, 4],
  outlineOffset: [-6, 4],
  padding: [0, 16],
  minHeight: [44, 64],
  letterSpacing: [-0.5, 4],
} as const satisfies Partial<Record<AppearanceProperty, readonly [number, number]>>
/** Minimum and maximum of `fontSize` in px. Phones zoom into a field with a text below 16px. */
// prettier-ignore
export const appearanceFontSizes = {
  Label: [12, 20], Input: [16, 20], Hint: [12, 20], Error: [12, 20], Alert: [12, 20], Button: [14, 24], SecondaryButton: [14, 20], TextButton: [12, 20], Success: [16, 32],
} as const satisfies Partial<Record<AppearancePart, readonly [number, number]>>
/** Minimum and maximum of the parts of a shadow in px. */
export const shadowLengths = { offset: [-12, 12], blur: [0, 40], spread: [-12, 4] } as const
export const maxShadows = 4

type Syntax = (text: string) => boolean

/** A state changes how a part is painted, never how large it is: the form would jump, and its height would tell the page what is typed. */
function syntaxOf(part: AppearancePart, state: string, property: AppearanceProperty): Syntax | undefined {
  const isOfState = state === '' || paintProperties.has(property)
  return isOfState ? (partSyntaxes[part] as Readonly<Partial<Record<AppearanceProperty, Syntax>>>)[property] : undefined
}

const paintProperties: ReadonlySet<AppearanceProperty> = new Set<AppearanceProperty>([
  'color',
  'backgroundColor',
  'borderColor',
  'boxShadow',
  'outlineColor',
  'textDecoration',
])

const maxValue = 200
const maxName = 40
/** More names than there are properties or selectors are of no use. */
const maxNames = 100

function namesOf(record: object): readonly string[] {
  return Object.keys(record).slice(0, maxNames)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A variable that never is transparent, such as `var(--accent)`. */
const isColorVariable: Syntax = (text) => /^var\(--(accent|accentText|text|muted|border|error|success|focus)\)$/.test(text)
/** The color of a text: opaque. */
const ink: Syntax = (text) => isOpaqueColor(text) || isColorVariable(text)
const paint: Syntax = (text) => ink(text) || text === 'transparent' || /^var\(--(background|field)\)$/.test(text)
const oneOf =
  (...values: readonly string[]): Syntax =>
  (text) =>
    values.includes(text)
const length =
  (bounds: readonly [number, number]): Syntax =>
  (text) =>
    (text === '0' && bounds[0] <= 0) || isLengthWithin(text, bounds)
/** Of texts: em would multiply with the size around it. */
const size =
  (bounds: readonly [number, number]): Syntax =>
  (text) =>
    !/[^r]em$/.test(text) && length(bounds)(text)
const sizeOf = (part: keyof typeof appearanceFontSizes): Syntax => size(appearanceFontSizes[part])
/** One to four values, for the sides or corners. */
const lengths =
  (bounds: readonly [number, number]): Syntax =>
  (text) =>
    text.split(' ').length <= 4 && text.split(' ').every(length(bounds))
const lineStyle = oneOf('solid', 'dashed', 'dotted', 'none')

/** `1px solid #ccc`, or `none`. */
const line: Syntax = (text) => {
  const [, width = '', style = '', color = ''] = /^(\S+) (\S+) (.+)$/.exec(text) ?? []
  return text === 'none' || text === '0' || (length(appearanceLengths.borderWidth)(width) && lineStyle(style) && paint(color))
}

/** Shadows, each `inset? x y blur? spread? color`. They stay close to the part: a shadow is no overlay. */
const shadows: Syntax = (text) =>
  text === 'none' || (text.split(betweenShadows).length <= maxShadows && text.split(betweenShadows).every(isShadow))
const betweenShadows = /, ?(?![^(]*\))/
const isShadow: Syntax = (text) => {
  const [, sizes = '', color = ''] = /^(?:inset )?((?:-?[\d.]+(?:px|rem)? ){2,4})(\S.*)$/.exec(text) ?? []
  const [x = '', y = '', blur = '0', spread = '0'] = sizes.trim().split(' ')
  const { offset, blur: blurs, spread: spreads } = shadowLengths
  const isNear = length(offset)(x) && length(offset)(y) && length(blurs)(blur) && length(spreads)(spread)
  return isNear && (ink(color) || isTranslucentColor(color))
}
/** `#rrggbbaa`, `rgba(0, 0, 0, 0.1)`, `rgb(0 0 0 / 10%)`, and the same of hsl. */
const isTranslucentColor: Syntax = (text) =>
  /^(#([\da-f]{4}){1,2}|rgba?\(\d{1,3}(, ?| )\d{1,3}\3\d{1,3}(, ?| ?\/ ?)(0?\.\d{1,3}|0|1|\d{1,3}%)\)|hsla?\(\d{1,3}(, ?| )\d{1,3}%\6\d{1,3}%(, ?| ?\/ ?)(0?\.\d{1,3}|0|1|\d{1,3}%)\))$/i.test(
    text,
  )

const type = {
  color: ink,
  fontFamily: (text: string) => readFonts(text) !== null,
  fontStyle: oneOf('normal', 'italic'),
  fontWeight: (text: string) => /^(normal|bold|[1-9]00)$/.test(text),
  letterSpacing: length(appearanceLengths.letterSpacing),
  lineHeight: (text: string) => /^(1(\.\d{1,2})?|2)$/.test(text),
  textTransform: oneOf('none', 'uppercase', 'lowercase', 'capitalize'),
}
const frame = {
  border: line,
  borderTop: line,
  borderRight: line,
  borderBottom: line,
  borderLeft: line,
  borderColor: paint,
  borderWidth: lengths(appearanceLengths.borderWidth),
  borderStyle: lineStyle,
  borderRadius: lengths(appearanceLengths.borderRadius),
  boxShadow: shadows,
}
const box = { ...frame, backgroundColor: paint, padding: lengths(appearanceLengths.padding) }
/** The outline of the focus stays: it may change its color and place, not go away. */
const outline = {
  outlineColor: ink,
  outlineWidth: length(appearanceLengths.outlineWidth),
  outlineOffset: length(appearanceLengths.outlineOffset),
}
const minHeight = size(appearanceLengths.minHeight)
const textDecoration = oneOf('none', 'underline')

const partSyntaxes = {
  Label: { ...type, fontSize: sizeOf('Label') },
  Input: { ...type, ...box, ...outline, fontSize: sizeOf('Input'), minHeight },
  'Input::placeholder': { color: ink, fontStyle: type.fontStyle },
  Hint: { ...type, fontSize: sizeOf('Hint') },
  Error: { ...type, fontSize: sizeOf('Error') },
  Alert: { ...type, ...box, fontSize: sizeOf('Alert') },
  Button: { ...type, ...box, ...outline, fontSize: sizeOf('Button'), minHeight },
  SecondaryButton: { ...type, ...frame, ...outline, fontSize: sizeOf('SecondaryButton') },
  TextButton: { ...type, ...outline, textDecoration, fontSize: sizeOf('TextButton') },
  Success: { ...type, fontSize: sizeOf('Success') },
} as const satisfies Record<AppearancePart, Readonly<Partial<Record<AppearanceProperty, Syntax>>>>
