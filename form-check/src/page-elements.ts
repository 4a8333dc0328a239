import type { MarkupElement } from './element-kinds.ts'
import { findCardFields, isTypedInto, type CardData, type CardFieldOptions } from './fields/card-fields.ts'
import { LabelReader } from './fields/labels.ts'
import { ancestorsOf, textInside, type Outline, type OutlineElement } from './fields/outline.ts'
import { findCardMentions, normalizeText } from './fields/words.ts'
import type { PageLocation } from './finding.ts'

/** An element of a page, read from its source or from the browser. */
export interface PageElement extends MarkupElement {
  readonly location: PageLocation
  /** The code of a script, the label of a checkbox, or the text of a link. */
  readonly text: string
  readonly isChecked: boolean
  /** The forms that contain it or that it belongs to, itself included when it is a form. */
  readonly forms: readonly { readonly key: string; readonly attributes: Readonly<Record<string, string>> }[]
  /** What card data it asks for, and the text by which a person knows; null: none. */
  readonly card: { readonly data: CardData; readonly text: string } | null
}

export interface PageElementOptions extends CardFieldOptions {
  /** Elements that are pressed though they are neither buttons nor links. */
  readonly clickable?: ReadonlySet<OutlineElement>
}

/** Lists the elements of an outline that rules are about, with what each input asks for. `key` tells outlines of one page apart. */
export function listPageElements(outline: Outline, key: string, options: PageElementOptions = {}): PageElement[] {
  const isPressed = (element: OutlineElement): boolean => isButton(element) || options.clickable?.has(element) === true
  const cards = new Map(findCardFields(outline, options).map(({ element, data, text }) => [element, { data, text }]))
  const boxes = outline.elements.filter(({ tag, attributes }) => tag === 'input' && /^(checkbox|radio)$/i.test(attributes['type'] ?? ''))
  const reader = new LabelReader(outline, boxes)
  const boxSet = new Set(boxes)
  const forms = new Map(
    outline.elements.filter(({ tag }) => tag === 'form').map((form) => [form, { key: `${key}${form.start}`, attributes: form.attributes }]),
  )
  const formsById = new Map([...forms].map(([form, entry]) => [form.attributes['id'] ?? '', entry]))
  const formsOf = (element: OutlineElement): PageElement['forms'] => {
    const around = [element, ...ancestorsOf(element)].flatMap((ancestor) => forms.get(ancestor) ?? []).slice(0, maxForms)
    const bound = element.attributes['form'] === undefined ? undefined : formsById.get(element.attributes['form'])
    return bound === undefined ? around : [...around, bound]
  }
  const textOf = (element: OutlineElement): string => {
    if (boxSet.has(element)) return reader.readCheckbox(element)
    return element.tag === 'script' ? element.code : isPressed(element) ? textInside(outline, element, 200) : ''
  }
  return outline.elements
    .filter(
      (element) =>
        cards.has(element) || isTypedInto(element) || ruleTags.test(element.tag) || isPressed(element) || hasRuleAttribute(element),
    )
    .map((element) => {
      const { tag, attributes, location, isChecked } = element
      return { tag, attributes, location, isChecked, text: textOf(element), forms: formsOf(element), card: cards.get(element) ?? null }
    })
}

/** Whether the input asks for a card's number, expiry or holder. */
export function isCardInput({ card }: PageElement): boolean {
  return card !== null && /^(number|expiry|holder)$/.test(card.data)
}

/** Whether the input asks for sensitive authentication data: a CVV or a PIN. The code of an SMS counts on a page that takes cards. */
export function isSadInput({ card }: PageElement): boolean {
  return card !== null && /^(code|pin|otp)$/.test(card.data)
}

/** Whether the checkbox asks for consent to store the card. On a page that takes cards, saving and agreeing can only mean that. */
export function isConsentBox({ tag, attributes, text }: PageElement, takesCards: boolean): boolean {
  if (tag !== 'input' || (attributes['type'] ?? '').toLowerCase() !== 'checkbox') return false
  const identifiers = `${attributes['id'] ?? ''} ${attributes['name'] ?? ''}`.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/[-_]/g, ' ')
  const label = normalizeText(`${text}. ${identifiers}`)
  if (!/\b(consent|agree|save|store|remember|soglas\w*|sohran\w*|soxran\w*|zapomn\w*|rozi\w*|saqla\w*|eslab)\b/.test(label)) return false
  const mentions = findCardMentions(label)
  return takesCards ? !mentions.some(({ kind }) => kind === 'other') : mentions.some(({ kind }) => kind !== 'other')
}

function isButton({ tag, attributes }: OutlineElement): boolean {
  return (
    /^(a|button|summary|label)$/.test(tag) ||
    /^(button|tab|radio|switch|option|menuitem)$/.test(attributes['role'] ?? '') ||
    Object.hasOwn(attributes, 'onclick')
  )
}

/** An attribute that carries a password is a finding on any element. */
function hasRuleAttribute({ attributes }: OutlineElement): boolean {
  return Object.values(attributes).some((value) => /[0-9a-f]{24}(:|%3A)/i.test(value))
}

const ruleTags = /^(input|textarea|select|form|script|iframe|a|button|meta|link)$/
const maxForms = 5
