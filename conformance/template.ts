/** The values of placeholders: credentials of the target, and values from earlier responses of the same file. */
export interface TemplateValues {
  /** `merchant`, `password`, `otherMerchant`, `otherPassword`, `host`. */
  readonly given: Readonly<Record<string, string>>
  /** Tokens by their names in the file; responses add to them. */
  readonly tokens: Map<string, string>
}

/** Fills the placeholders of a request's text. Throws `MissingValueError` when it needs a token that no response had. */
export function fillTemplate(text: string, values: TemplateValues): string {
  return text.replaceAll(
    placeholder,
    (written: string, kind: string, name: string | undefined) => valueOf(kind, name ?? '', values) ?? unfilled(written),
  )
}

export class MissingValueError extends Error {}

function valueOf(kind: string, name: string, { given, tokens }: TemplateValues): string | undefined {
  if (kind === 'token') return tokens.get(name)
  if (kind === 'cardIdOf') return tokens.get(name)?.slice(0, cardIdLength)
  if (kind === 'secretOf') return tokens.get(name)?.slice(cardIdLength + 1)
  if (kind === 'receipt') return tokens.get(receiptName(name))
  return given[kind]
}

function unfilled(written: string): never {
  throw new MissingValueError(`${written} is not known: the case that returns it did not pass, or an option is missing`)
}

/** Where a text first differs from its template. `wanted` is a piece of the template or a sentence about it. */
export interface TemplateMismatch {
  readonly at: number
  readonly wanted: string
}

/**
 * Compares a text with its template, character by character, and stores tokens that occur for the first time; two names never stand for
 * one token. Null when they agree.
 */
export function matchTemplate(template: string, text: string, values: TemplateValues): TemplateMismatch | null {
  let at = 0
  let from = 0
  for (const found of template.matchAll(placeholder)) {
    const literal = template.slice(from, found.index)
    const differs = differAt(literal, text, at)
    if (differs !== null) return differs
    at += literal.length
    const taken = take(found[1] ?? '', found[2] ?? '', text.slice(at), values)
    if (typeof taken === 'string') return { at, wanted: taken }
    at += taken
    from = found.index + found[0].length
  }
  const rest = template.slice(from)
  return differAt(rest, text, at) ?? (at + rest.length === text.length ? null : { at: at + rest.length, wanted: 'the end' })
}

function differAt(literal: string, text: string, at: number): TemplateMismatch | null {
  if (text.startsWith(literal, at)) return null
  let same = 0
  while (literal[same] === text[at + same]) same++
  return { at: at + same, wanted: literal.slice(same) }
}

/** How many characters of `rest` the placeholder matches, or what was expected there. */
function take(kind: string, name: string, rest: string, values: TemplateValues): number | string {
  if (kind === 'token') return takeToken(name, rest, values)
  if (kind === 'receipt') return takeReceipt(name, rest, values)
  if (kind === 'digits') return /^[0-9]{1,12}(?![0-9])/.exec(rest)?.[0].length ?? 'one to twelve digits'
  if (kind === 'text') return /^(?:[^"\\]|\\.)*/.exec(rest)?.[0].length ?? 'a text'
  if (kind === 'int') return takeInteger(name, rest)
  if (kind === 'object') return lengthOfObject(rest) ?? 'a JSON object'
  if (kind === 'requestId') return /^[0-9A-Za-z_-]{8,64}/.exec(rest)?.[0].length ?? 'the id of a request'
  const value = valueOf(kind, name, values)
  if (value === undefined) return `{{${kind}}}, which has no value`
  return rest.startsWith(value) ? value.length : `{{${kind}}}`
}

function takeToken(name: string, rest: string, { tokens }: TemplateValues): number | string {
  const token = /^[0-9a-f]{24}_[0-9A-Za-z]{20,103}/.exec(rest)?.[0]
  if (token === undefined) return 'a token: 24 hex digits, an underscore, 20 to 103 letters and digits'
  const before = tokens.get(name)
  if (before !== undefined) return before === token ? token.length : `the same token as before (${name})`
  const duplicate = [...tokens].find(([, value]) => value === token)
  if (duplicate !== undefined) return `a new token, not that of ${duplicate[0]}`
  tokens.set(name, token)
  return token.length
}

/** Ids of receipts are stored like tokens, under names of their own. */
function takeReceipt(name: string, rest: string, { tokens }: TemplateValues): number | string {
  const id = /^[0-9a-f]{24}(?![0-9a-f])/.exec(rest)?.[0]
  if (id === undefined) return 'the id of a receipt: 24 hex digits'
  const before = tokens.get(receiptName(name))
  if (before !== undefined && before !== id) return `the same receipt as before (${name})`
  if (before === undefined && [...tokens.values()].includes(id)) return 'a new receipt'
  tokens.set(receiptName(name), id)
  return id.length
}

function receiptName(name: string): string {
  return `receipt ${name}`
}

function takeInteger(range: string, rest: string): number | string {
  const written = /^(?:0|-?[1-9][0-9]*)(?![0-9.eE])/.exec(rest)?.[0]
  const [from = -Infinity, to = Infinity] = range === '' ? [] : range.split('..').map(Number)
  const value = Number(written)
  return written !== undefined && value >= from && value <= to ? written.length : `an integer ${range}`.trimEnd()
}

/** Length of the JSON object that `text` begins with, or null. */
function lengthOfObject(text: string): number | null {
  let depth = 0
  for (const { 0: part, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]/gs)) {
    if (index > 0 && depth === 0) return null
    if (part === '{') depth++
    if (part !== '}') continue
    depth--
    if (depth === 0) return isJson(text.slice(0, index + 1)) ? index + 1 : null
  }
  return null
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const placeholder = /\{\{([a-zA-Z]+)(?::([^{}]*))?\}\}/g
const cardIdLength = 24
