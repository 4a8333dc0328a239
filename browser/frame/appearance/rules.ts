import { listSelectors, type AppearanceDeclaration } from '@tessera/contract/appearance-syntax'

/** What each part of an appearance is in this document. No selector reaches the consent, the footer or the mark of the test environment. */
const partSelectors: Readonly<Record<string, string>> = {
  Label: '.row>label',
  Input: '.box input',
  'Input::placeholder': '.box input::placeholder',
  Hint: ':is(.hint,.card-summary,.help ul,.done p)',
  Error: '.row .fault',
  Alert: '.whole',
  Button: '.main',
  SecondaryButton: '.resend',
  TextButton: ':is(.plain,.help summary)',
  Success: '.done h2',
}
const stateSelectors: Readonly<Record<string, string>> = {
  'Label--floating': '[data-labels=floating] .row:is(:focus-within,.code-row,:has(input:not(:placeholder-shown)))>label',
  'Label--invalid': '.row:has([aria-invalid])>label',
  'Input--invalid': ':root .box input[aria-invalid]',
  'Input:disabled': ':root .box input:is(:disabled,[aria-busy] *)',
  'Button:focus': '.main:focus-visible',
  'SecondaryButton:hover': '.resend:enabled:hover',
  'SecondaryButton:focus': '.resend:focus-visible',
  'TextButton:focus': ':is(.plain,.help summary):focus-visible',
}

/** Texts stand above the shadows of an appearance, and shadows have room around the form. */
const layerRules = [
  ':is(footer,.row>label,.row .fault,.hint,.plain,.resend,.help,.card-summary,.code>p,.done h2){position:relative;z-index:1}',
  '.root{padding:var(--room,0px)}',
  '[data-font] .root{font-family:page-font,var(--fontFamily)}',
]

/**
 * A label inside its field. It rests in the middle of an empty field, where a placeholder would be, and rises as soon as the field is used. In a
 * browser without `:has()` it is always up. The marks of the cards stand beside it where there is room, and in the corner above the digits.
 */
const root = ':root[data-labels=floating]'
const floating = `${root} .row:not(.code-row)`
const isResting = ':not(:focus-within):has(input:placeholder-shown)'
const floatingRules = [
  `${root}{--expiry:6em}`,
  `${floating}>label{position:absolute;inset:9px 14px auto;margin:0;line-height:1.2;font-weight:400;pointer-events:none;transform:scale(.8);transform-origin:0 0;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}`,
  `${root}[dir=rtl] .row:not(.code-row)>label{transform-origin:100% 0}`,
  `${floating}${isResting}>label{transform:translateY(9px)}`,
  `${floating}${isResting} input::placeholder{color:transparent}`,
  `${floating} input{min-height:58px;padding:23px 14px 7px}`,
  `${root} .brand{inset:5px 8px auto auto}`,
  `${root} .mark{width:28px;height:18px}`,
  `${floating}${isResting} .brand{inset:0 12px 0 auto}`,
  `@container(max-width:22em){${root} .row${isResting} .brand.all{display:none}}`,
  `@container(max-width:27em){${root}:not([data-layout=stacked]) .row${isResting} .brand.all{display:none}}`,
  `@container(min-width:19em){${root}[data-layout=stacked] .brand{inset:0 12px 0 auto}${root}[data-layout=stacked] #number{padding-inline-end:52px}}`,
  `@container(min-width:24em){${root} .brand{inset:0 12px 0 auto}${root} #number{padding-inline-end:52px}}`,
  `@media(prefers-reduced-motion:no-preference){${root} .row>label{transition:transform .15s}}`,
]

/** One empty rule of the document's style sheet for each part and state, made when there first is an appearance. */
let rules: ReadonlyMap<string, CSSStyleDeclaration> | undefined

/**
 * Writes the declarations into rules whose selectors are constants of this file. Values go through CSSOM, which parses each as one value of
 * one property: no text of the page becomes part of a style sheet.
 */
export function writeRules(declarations: readonly AppearanceDeclaration[]): void {
  rules ??= createRules()
  for (const style of rules.values()) style.cssText = ''
  for (const { part, state, property, value } of declarations)
    rules.get(part + state)?.setProperty(
      property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
      value,
    )
}

function createRules(): ReadonlyMap<string, CSSStyleDeclaration> {
  const [sheet] = document.styleSheets
  for (const rule of [...layerRules, ...floatingRules]) appendRule(sheet, rule)
  return new Map(
    listSelectors().flatMap(({ part, state }) => {
      const selector = stateSelectors[part + state] ?? `${partSelectors[part] ?? ''}${state}`
      const style = appendRule(sheet, `:root${selector.startsWith('[') || selector.startsWith(':root') ? '' : ' '}${selector}{}`)
      return style === null ? [] : [[part + state, style] as const]
    }),
  )
}

/** Null in a browser without one of the selectors, such as `:has()`: the part then has no such state. */
function appendRule(sheet: CSSStyleSheet | undefined, text: string): CSSStyleDeclaration | null {
  try {
    const rule = sheet?.cssRules[sheet.insertRule(text, sheet.cssRules.length)]
    return rule instanceof CSSStyleRule ? rule.style : null
  } catch {
    return null
  }
}
