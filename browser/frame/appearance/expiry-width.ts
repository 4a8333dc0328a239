import type { AppearanceDeclaration } from '@tessera/contract/appearance-syntax'

/** The width of the expiry beside the number, as a CSS length, in which neither its digits nor its placeholder are cut off under these rules. */
export function measureExpiryWidth(rules: readonly AppearanceDeclaration[]): string | null {
  const given = (property: string): string | undefined =>
    rules.findLast((rule) => rule.part === 'Input' && rule.state === '' && rule.property === property)?.value
  const [padding, fontSize, letterSpacing] = ['padding', 'fontSize', 'letterSpacing'].map(given)
  if (padding === undefined && fontSize === undefined && letterSpacing === undefined) return null
  const [top, right = top, , left = right] = (padding ?? '10px 12px').split(' ')
  const text = `${charactersEm} * ${fontSize ?? 'max(16px, 1em)'}`
  return `max(5.4em, ${text} + ${unitOf(right)} + ${unitOf(left)} + ${characters} * ${unitOf(letterSpacing)} + ${borders})`
}

/** `MM/YY` in most fonts. */
const charactersEm = 3.75
const characters = 5
const borders = '6px'

/** CSS adds no number without a unit to a length. */
function unitOf(length = '0'): string {
  return length === '0' ? '0px' : length
}
