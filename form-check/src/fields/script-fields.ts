import { noLocation, type PageLocation } from '../finding.ts'

import { formatOf } from './formats.ts'
import { OutlineBuilder, type Outline } from './outline.ts'
import { listLiterals, type ScriptLiteral } from './script-literals.ts'
import { findCardMentions, namesExpiry, namesSecurityCode, normalizeText } from './words.ts'

/** Markup that a script writes into the page, and where each part of it stands in the script. */
export interface ScriptMarkup {
  readonly html: string
  /** The position in the script's code of a position in `html`. */
  positionOf(offset: number): number
}

/** The strings of a script that contain inputs as markup. Strings that are added to each other are joined. */
export function listScriptMarkup(code: string): ScriptMarkup[] {
  if (!fieldTag.test(code) && !cutTag.test(code)) return []
  return joinLiterals(code, listLiterals(code))
    .filter((parts) => fieldTag.test(joinParts(parts)))
    .slice(0, maxFragments)
    .map((parts) => ({
      html: joinParts(parts),
      positionOf: (offset) => {
        let from = 0
        for (const part of parts) {
          if (offset <= from + part.text.length) return part.start + 1 + Math.min(offset - from, part.end - part.start)
          from += part.text.length + (cutEnd.test(part.text) ? 0 : 1)
        }
        return parts[0]?.start ?? 0
      },
    }))
}

/** Parts are joined with a blank, because what stands between them in the script is unknown, except inside the name of a tag. */
function joinParts(parts: readonly ScriptLiteral[]): string {
  return parts.map(({ text }) => (cutEnd.test(text) ? text : `${text} `)).join('')
}

/** Inputs that a script makes by calls, `createElement('input')` or `h('input', { … })`, with the strings around them as their texts. */
export function readScriptFields(code: string, locate: (position: number) => PageLocation): Outline | null {
  const calls = [...code.matchAll(fieldCall)].slice(0, maxCalls)
  if (calls.length === 0) return null
  const literals = listLiterals(code)
  const builder = new OutlineBuilder()
  builder.open({ tag: 'form', attributes: {}, location: locate(0), code: '', isChecked: false })
  let from = 0
  for (const [index, call] of calls.entries()) {
    const end = Math.min(calls[index + 1]?.index ?? code.length, call.index + maxCallLength)
    const { attributes, used } = readProperties(code, call, { end, literals })
    for (const { text, start } of literals) if (start >= from && start < call.index && isShown(text)) builder.text(text)
    builder.open({ tag: call[2] ?? 'input', attributes, location: locate(call.index), code: '', isChecked: false })
    builder.close()
    from = Math.max(call.index + call[0].length, ...used)
  }
  return builder.build()
}

/** What a script asks for in dialogs of the browser: each `prompt('…')` is an input with the question as its label. */
export function readScriptPrompts(code: string, locate: (position: number) => PageLocation): Outline | null {
  const calls = [...code.matchAll(/\bprompt\s*\(\s*(?=['"`])/g)].slice(0, maxCalls)
  if (calls.length === 0) return null
  const texts = new Map(listLiterals(code).map(({ text, start }) => [start, text]))
  return buildPromptOutline(calls.map((call) => ({ question: texts.get(call.index + call[0].length) ?? '', location: locate(call.index) })))
}

/** The questions of a page's dialogs as inputs of one form. */
export function buildPromptOutline(prompts: readonly { question: string; location: PageLocation }[]): Outline {
  const builder = new OutlineBuilder()
  builder.open({ tag: 'form', attributes: {}, location: noLocation, code: '', isChecked: false })
  for (const { question, location } of prompts) {
    builder.open({ tag: 'input', attributes: { type: 'prompt', 'aria-label': question }, location, code: '', isChecked: false })
    builder.close()
  }
  return builder.build()
}

/**
 * The inputs of a script that makes them from words kept elsewhere in it, in a list of messages or in the arguments of a function: a card
 * number and an expiry or a CVV, both named by strings of a script that makes inputs. Strings that are markup with inputs are judged as that.
 */
export function readScriptWords(code: string, locate: (position: number) => PageLocation): Outline | null {
  if (!/<(input|textarea)\b|\(\s*['"`](input|textarea)['"`]/.test(code)) return null
  const literals = joinLiterals(code, listLiterals(code))
    .filter((parts) => !parts.some(({ text }) => fieldTag.test(text)))
    .flat()
    .filter(({ text }) => text.length <= maxWordsLength)
  const shown = literals.map(({ text, start }) => ({ text: normalizeText(text.replace(/[<>="'/]+/g, ' , ')), start }))
  const number = shown.find(({ text }) => findCardMentions(text).some(({ kind, isNumber }) => isNumber && kind !== 'other'))
  const beside = literals.find(({ text }) => {
    const normalized = normalizeText(text)
    return formatOf(text) === 'expiry' || namesExpiry(normalized) || namesSecurityCode(normalized) === 'sure'
  })
  if (number === undefined || beside === undefined) return null
  const builder = new OutlineBuilder()
  const location = locate(number.start)
  builder.open({ tag: 'form', attributes: {}, location, code: '', isChecked: false })
  builder.text(
    literals.find(({ start }) => start === number.start)?.text.replace(/<[^>]*>/g, (tag) => /="([^"]*)"[^"]*$/.exec(tag)?.[1] ?? ' ') ?? '',
  )
  builder.open({ tag: 'input', attributes: {}, location, code: '', isChecked: false })
  return builder.build()
}

/** The custom elements that a script defines, when it gives them exactly one input to type into. */
export function listScriptComponents(code: string): string[] {
  const count = [...code.matchAll(/<(input|textarea)\b/g), ...code.matchAll(fieldCall)].length
  if (count !== 1) return []
  return [...code.matchAll(/\bcustomElements\.define\(\s*['"`]([a-z][\w.-]{1,60})['"`]/g)].map((match) => match[1] ?? '')
}

/** Masks that a script sets: for each PAN-like mask, the id, class or name in the strings just before it. */
export function listScriptMasks(code: string): Map<string, string> {
  const masks = new Map<string, string>()
  if (!/mask|cleave|creditCard/i.test(code)) return masks
  const literals = listLiterals(code)
  for (const [index, { text, start }] of literals.entries()) {
    if (formatOf(text.replace(/[09a#_]/gi, '0')) !== 'pan') continue
    const before = literals.slice(Math.max(0, index - 3), index).filter(({ start: other }) => start - other < maxMaskDistance)
    for (const name of before.flatMap(({ text: selector }) => namesIn(selector))) masks.set(name, '0000 0000 0000 0000')
  }
  for (const { index } of code.matchAll(/creditCard\s*:\s*(true|!0)/g)) {
    const selector = literals.findLast(({ start }) => start < index && index - start < maxMaskDistance)
    for (const name of namesIn(selector?.text ?? '')) masks.set(name, '0000 0000 0000 0000')
  }
  return masks
}

function namesIn(selector: string): string[] {
  const named = [...selector.matchAll(/[#.]([\w-]+)|\[(?:name|id)[*^$]?=["']?([\w-]+)/g)].map((match) => match[1] ?? match[2] ?? '')
  return named.length > 0 ? named : /^[\w-]{1,40}$/.test(selector) ? [selector] : []
}

function readProperties(
  code: string,
  call: RegExpExecArray,
  { end, literals }: { end: number; literals: readonly ScriptLiteral[] },
): { attributes: Record<string, string>; used: number[] } {
  const attributes: Record<string, string> = {}
  const used: number[] = []
  const text = code.slice(call.index, end)
  for (const match of text.matchAll(property)) {
    const name = (match[1] ?? match[2] ?? '').toLowerCase()
    const at = call.index + match.index + match[0].length - 1
    const literal = literals.find(({ start }) => start === at)
    const value = literal?.text ?? match[3]
    if (value === undefined) continue
    attributes[attributeNames[name] ?? name] ??= value
    used.push(literal?.end ?? at)
  }
  return { attributes, used }
}

function isShown(text: string): boolean {
  return (
    text.length <= 200 &&
    /\p{L}/u.test(text) &&
    !/^[.#[]|^[a-z]+([A-Z-][\w-]*)+$|^(div|span|label|form|section|p|h[1-6]|input|button|click|change|submit|DOMContentLoaded)$/.test(text)
  )
}

function joinLiterals(code: string, literals: readonly ScriptLiteral[]): ScriptLiteral[][] {
  const groups: ScriptLiteral[][] = []
  for (const literal of literals) {
    const group = groups.at(-1)
    const previous = group?.at(-1)
    const between = previous === undefined ? null : code.slice(previous.end, literal.start)
    if (group !== undefined && between !== null && between.length < 120 && /^\s*[+,]\s*([\w.$[\]()]{1,60}\s*[+,]\s*)?$/.test(between))
      group.push(literal)
    else groups.push([literal])
  }
  return groups
}

/** The name of a tag that is cut by the end of a string: `'<in' + 'put>'`. */
const cutTag = /<[a-z]{0,8}['"`]\s*[+,]/i
const cutEnd = /<[a-z]{0,8}$/i
const fieldTag = /<(input|textarea|select)\b|\bcontenteditable\b/i
/** `createElement('input')`, `h('input', …)`; not a call that looks for one. */
const fieldCall = /\b[\w$.]{1,40}(?<!querySelector|querySelectorAll|closest|matches|getElementsByTagName|\$)\(\s*(['"`])(input|textarea)\1/g
const property =
  /(?:["']?\b(placeholder|maxlength|inputmode|autocomplete|type|id|name|pattern|title|aria-?label|label|classname|class|mask)["']?\s*[:=]\s*|setAttribute\(\s*["'](placeholder|maxlength|inputmode|autocomplete|type|id|name|pattern|title|aria-label|class)["']\s*,\s*)(["'`]|\d+)/gi
const attributeNames: Readonly<Record<string, string>> = { arialabel: 'aria-label', classname: 'class' }
const maxFragments = 200
const maxCalls = 200
const maxCallLength = 600
const maxMaskDistance = 300
const maxWordsLength = 400
