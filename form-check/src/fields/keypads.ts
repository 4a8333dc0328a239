import { ancestorsOf, textInside, type Outline, type OutlineElement } from './outline.ts'
import * as words from './words.ts'

/** Buttons for the ten digits under a text that asks for a card number: digits are pressed there instead of typed. Gives the first of them. */
export function findKeypads(outline: Outline): { readonly element: OutlineElement; readonly text: string }[] {
  const isButton = ({ tag, attributes }: OutlineElement): boolean =>
    tag === 'button' || attributes['role'] === 'button' || (tag === 'input' && attributes['type'] === 'button')
  const digits = outline.elements.filter(
    (element) => isButton(element) && /^\d$/.test(element.attributes['value'] ?? textInside(outline, element, 10)),
  )
  if (digits.length < 10 || digits.length > 30) return []
  const [first] = digits
  const last = digits.at(-1)
  if (first === undefined || last === undefined) return []
  const around = [...ancestorsOf(first)].filter(({ start, end }) => start <= first.start && end >= last.end)
  for (const ancestor of around.slice(0, 4)) {
    const text = textInside(outline, ancestor, 600)
    const mentions = words.findCardMentions(words.normalizeText(text))
    if (mentions.some(({ kind }) => kind === 'other')) return []
    if (mentions.some(({ isNumber: names }) => names)) return [{ element: first, text }]
  }
  return []
}
