import { findCardMentions, namesBank, namesCardBrands, namesPayment, normalizeText } from '../fields/words.ts'

import { isTextInput, type LiveElement, type LivePage } from './live-elements.ts'

/**
 * The buttons, links, tabs, lists and other elements to press that may open a card form, the most likely first: those that speak of cards or of
 * paying, then those that lead on. Nothing is pressed that deletes, cancels or leaves.
 */
export function listOpeners({ live }: LivePage, pressed: ReadonlySet<string>): LiveElement[] {
  const lastInput = live.findLast((element) => isTextInput(element) && element.element.tag !== 'textarea')
  return live
    .filter((element) => element.isVisible && (isPressable(element) || element === lastInput) && !pressed.has(openerKey(element)))
    .map((element) => ({ element, likelihood: likelihoodOf(element) }))
    .filter(({ likelihood }) => likelihood > 0)
    .toSorted((a, b) => b.likelihood - a.likelihood)
    .map(({ element }) => element)
}

/** Identifies an opener: what it says and where it stands. */
export function openerKey({ element: { tag, text, attributes }, selector }: LiveElement): string {
  return JSON.stringify([tag, text, attributes['value'] ?? '', selector])
}

/** What a person sees of the page: it changes when a press leads on. Steps that follow each other have the same button. */
export function describeView({ live, words }: LivePage): string {
  return JSON.stringify([
    words,
    ...live.filter(({ isVisible }) => isVisible).map(({ element: { text, tag }, selector, caption }) => [tag, selector, text, caption]),
  ])
}

/** The option of a list that pays by card; or else the last one, because the first often says nothing. */
export function optionToChoose(options: readonly string[]): number {
  const cards = options.findIndex((option) => namesCard(normalizeText(option)))
  return cards >= 0 ? cards : options.length - 1
}

function namesCard(text: string): boolean {
  const mentions = findCardMentions(text)
  return mentions.length > 0 ? mentions.some(({ kind }) => kind !== 'other') : namesCardBrands(text) || namesBank(text)
}

function isPressable({ element: { tag, attributes, card }, isClickable, options }: LiveElement): boolean {
  if (card !== null || attributes['disabled'] !== undefined) return false
  const type = (attributes['type'] ?? '').toLowerCase()
  if (tag === 'select') return options.some((option) => namesCard(normalizeText(option)))
  if (isClickable || tag === 'label') return true
  if (tag === 'button') return type !== 'reset'
  if (tag === 'input') return /^(button|submit|radio|image)$/.test(type)
  if (tag === 'a') return isInPageLink(attributes['href'])
  return (
    tag === 'summary' || /^(button|tab|radio|switch|option|menuitem)$/.test(attributes['role'] ?? '') || attributes['onclick'] !== undefined
  )
}

/** A link that stays on the page: it is handled by a script. */
function isInPageLink(href: string | undefined): boolean {
  return href === undefined || href === '' || href.startsWith('#') || href.toLowerCase().startsWith('javascript:')
}

function likelihoodOf({ element: { tag, text, attributes }, isClickable }: LiveElement): number {
  if (tag === 'select') return 5
  const label = normalizeText([text, attributes['value'], attributes['aria-label'], attributes['title'], attributes['id']].join(' '))
  if (leaving.test(label)) return 0
  // Only one of several is chosen: the one that pays by card.
  const isRadio = attributes['type'] === 'radio' || /^(radio|option|menuitem)$/.test(attributes['role'] ?? '') || tag === 'label'
  if (findCardMentions(label).some(({ kind }) => kind !== 'other')) return 4
  if (isRadio) return namesPayment(label) ? 2 : 0
  if (namesPayment(label)) return 4
  if (onward.test(label)) return 3
  if (isClickable) return 0.5
  // Enter, in the last input.
  if (tag === 'input' && !/^(button|submit|image)$/.test(attributes['type'] ?? '')) return 0.2
  return tag === 'summary' || attributes['aria-expanded'] === 'false' || attributes['aria-haspopup'] !== undefined ? 2 : 1
}

const leaving =
  /\b(delete|remove|cancel|close|log ?out|sign ?out|exit|back|unsubscribe|reset|clear|ochir\w*|bekor|chiqish|yop\w*|orqaga|tozala\w*|udal\w*|otmen\w*|vyyti|vyxod|zakryt\w*|nazad|ochist\w*|print|chop|pechat\w*|share|ulash\w*|podelit\w*)\b/
const onward =
  /\b(next|continue|proceed|checkout|order|confirm|submit|send|start|open|add|choose|select|show|more|ok|online|tap|onlayn\w*|vyber\w*|keyingi|davom\w*|buyurtma|tasdiq\w*|yubor\w*|boshla\w*|och\w*|qosh\w*|tanla\w*|korsat\w*|dalee|daley|prodolj\w*|oform\w*|zakaz\w*|podtverd\w*|otprav\w*|nachat|otkryt\w*|dobav\w*|vybr\w*|pokaz\w*)\b/
