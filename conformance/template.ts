/** What placeholders stand for: credentials of the target, and what earlier replies of the same file gave. */
export interface Known {
  /** `merchant`, `password`, `otherMerchant`, `otherPassword`, `host`. */
  readonly given: Readonly<Record<string, string>>
  /** Tokens by their names in the file; a reply adds to them. */
  readonly tokens: Map<string, string>
}

/** Writes a request's text out. Throws `Unfilled` when it needs a token that no reply gave. */
export function fill(text: string, known: Known): string {
  return text.replaceAll(
    placeholder,
    (written: string, kind: string, name: string | undefined) => valueOf(kind, name ?? '', known) ?? unfilled(written),
  )
}

export class Unfilled extends Error {}

function valueOf(kind: string, name: string, { given, tokens }: Known): string | undefined {
  if (kind === 'token') return tokens.get(name)
  if (kind === 'cardIdOf') return tokens.get(name)?.slice(0, cardIdLength)
  if (kind === 'secretOf') return tokens.get(name)?.slice(cardIdLength + 1)
  if (kind === 'receipt') return tokens.get(receiptName(name))
  return given[kind]
}

function unfilled(written: string): never {
  throw new Unfilled(`${written} is not known: the case that gives it did not pass, or no option told it`)
}

/** Where a text first differs from its template. `wanted` is a piece of the template or a sentence about it. */
export interface Difference {
  readonly at: number
  readonly wanted: string
}

/**
 * Compares a text with its template, letter for letter, and learns the tokens that are met for the first time; two names never stand for
 * one token. Null when they agree.
 */
export function matchTemplate(template: string, text: string, known: Known): Difference | null {
  let at = 0
  let from = 0
  for (const found of template.matchAll(placeholder)) {
    const literal = template.slice(from, found.index)
    const differs = differAt(literal, text, at)
    if (differs !== null) return differs
    at += literal.length
    const taken = take(found[1] ?? '', found[2] ?? '', text.slice(at), known)
    if (typeof taken === 'string') return { at, wanted: taken }
    at += taken
    from = found.index + found[0].length
  }
  const rest = template.slice(from)
  return differAt(rest, text, at) ?? (at + rest.length === text.length ? null : { at: at + rest.length, wanted: 'the end' })
}

function differAt(literal: string, text: string, at: number): Difference | null {
  if (text.startsWith(literal, at)) return null
  let same = 0
  while (literal[same] === text[at + same]) same++
  return { at: at + same, wanted: literal.slice(same) }
}

/** How many letters of `rest` the placeholder takes, or what was wanted there. */
function take(kind: string, name: string, rest: string, known: Known): number | string {
  if (kind === 'token') return takeToken(name, rest, known)
  if (kind === 'receipt') return takeReceipt(name, rest, known)
  if (kind === 'digits') return /^[0-9]{1,12}(?![0-9])/.exec(rest)?.[0].length ?? 'one to twelve digits'
  if (kind === 'text') return /^(?:[^"\\]|\\.)*/.exec(rest)?.[0].length ?? 'a text'
  if (kind === 'int') return takeInteger(name, rest)
  if (kind === 'object') return lengthOfObject(rest) ?? 'a JSON object'
  if (kind === 'requestId') return /^[0-9A-Za-z_-]{8,64}/.exec(rest)?.[0].length ?? 'the id of a request'
  const value = valueOf(kind, name, known)
  if (value === undefined) return `{{${kind}}}, which nobody knows`
  return rest.startsWith(value) ? value.length : `{{${kind}}}`
}

function takeToken(name: string, rest: string, { tokens }: Known): number | string {
  const token = /^[0-9a-f]{24}_[0-9A-Za-z]{20,103}/.exec(rest)?.[0]
  if (token === undefined) return 'a token: 24 hex digits, an underscore, 20 to 103 letters and digits'
  const before = tokens.get(name)
  if (before !== undefined) return before === token ? token.length : `the same token as before (${name})`
  const twin = [...tokens].find(([, value]) => value === token)
  if (twin !== undefined) return `a token of its own, not that of ${twin[0]}`
  tokens.set(name, token)
  return token.length
}

/** Ids of receipts are learnt like tokens, under names of their own. */
function takeReceipt(name: string, rest: string, { tokens }: Known): number | string {
  const id = /^[0-9a-f]{24}(?![0-9a-f])/.exec(rest)?.[0]
  if (id === undefined) return 'the id of a receipt: 24 hex digits'
  const before = tokens.get(receiptName(name))
  if (before !== undefined && before !== id) return `the same receipt as before (${name})`
  if (before === undefined && [...tokens.values()].includes(id)) return 'a receipt of its own'
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
