import { ancestorsOf, textInside, type Outline, type OutlineElement } from './outline.ts'
import * as words from './words.ts'

/**
 * The ten digits, each an element of its own, under a text that asks for a card number: they are pressed there instead of typed, and need not
 * be buttons. Gives the first of them.
 */
export function findKeypads(outline: Outline): { readonly element: OutlineElement; readonly text: string }[] {
  const keys = listKeys(outline).slice(0, maxKeys)
  const keypads: { readonly element: OutlineElement; readonly text: string }[] = []
  for (let index = 0; index + 9 < keys.length; index += 1) {
    const row = keys.slice(index, index + 10)
    const [first, last] = [row[0]?.element, row[9]?.element]
    if (first === undefined || last === undefined || new Set(row.map(({ digit }) => digit)).size < 10) continue
    const text = textAround(outline, first, last)
    if (text !== null) keypads.push({ element: first, text })
    index += 9
  }
  return keypads
}

/** The text around a keypad that asks for a card number; null: it is for something else. */
function textAround(outline: Outline, first: OutlineElement, last: OutlineElement): string | null {
  const around = [...ancestorsOf(first)].filter(({ start, end }) => start <= first.start && end >= last.end)
  for (const ancestor of around.slice(0, 4)) {
    const text = textInside(outline, ancestor, 600)
    const mentions = words.findCardMentions(words.normalizeText(text))
    if (mentions.some(({ kind }) => kind === 'other')) return null
    if (mentions.some(({ isNumber: names }) => names)) return text
  }
  return null
}

/** Whether the text is that of a key for one digit. */
export function isDigitKey(text: string): boolean {
  return /^\s*\d\s*$/.test(text)
}

/** Elements that show one digit and nothing else: the innermost of each, or the button around it. */
function listKeys(outline: Outline): { readonly element: OutlineElement; readonly digit: string }[] {
  const byElement = new Map<OutlineElement, string>()
  const digits = outline.texts.filter(({ text }) => isDigitKey(text))
  const places = new Map(digits.map(({ at, text }) => [at, text.trim()]))
  for (const element of outline.elements) {
    const value = element.tag === 'input' && element.attributes['type'] === 'button' ? (element.attributes['value'] ?? '') : ''
    // The element's text comes right after its start.
    const digit = isDigitKey(value) ? value.trim() : element.end === element.start + 2 ? places.get(element.start + 1) : undefined
    if (digit !== undefined) byElement.set(isButton(element.parent) ? element.parent : element, digit)
  }
  return [...byElement].map(([element, digit]) => ({ element, digit }))
}

function isButton(element: OutlineElement | null): element is OutlineElement {
  return element !== null && (element.tag === 'button' || element.attributes['role'] === 'button')
}

const maxKeys = 2000
