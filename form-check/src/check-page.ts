import { parse, type DefaultTreeAdapterTypes } from 'parse5'

import type { RuleId } from './rules.ts'

/** A breach of a rule at a place. `shown` is at most 120 characters of what stands there, never a password. */
export interface Finding {
  readonly rule: RuleId
  readonly path: string
  /** From 1. */
  readonly line: number
  readonly shown: string
}

/** Holds the source of one page against the rules. What scripts add later is not seen here. `hasPolicy`: the reply's headers carried one. */
export function checkPage({ path, text, hasPolicy }: { path: string; text: string; hasPolicy: boolean }): Finding[] {
  const elements = listElements(parse(text, { sourceCodeLocationInfo: true }))
  const cards = elements.filter(isCardInput)
  const doors = elements.filter(isDoor)
  const sdks = doors.filter(({ tag }) => tag === 'script')
  const takesCards = cards.length > 0 || doors.length > 0
  const at = (rule: RuleId, { line, tag, attributes }: Element, name = ''): Finding => ({
    rule,
    path,
    line,
    shown: hidePassword(`<${tag}${name === '' ? '' : ` ${name}="${attributes.get(name) ?? ''}"`}>`).slice(0, SHOWN_MAX),
  })
  const holders = new Set([...cards, ...doors].flatMap(({ forms }) => forms))
  const first = cards[0]
  return [
    ...cards.map((card) => at('card-input', card, 'autocomplete')),
    ...cards.filter(({ attributes }) => attributes.has('name')).map((card) => at('input-name', card, 'name')),
    ...elements
      .filter(({ forms }) => forms.some((form) => holders.has(form)))
      .flatMap((element) =>
        ['action', 'formaction'].filter((name) => element.attributes.has(name)).map((name) => at('form-action', element, name)),
      ),
    ...(first !== undefined && doors.length === 0 ? [at('sdk-missing', first)] : []),
    ...elements.filter(isTickedConsent).map((box) => at('consent-ticked', box, 'id')),
    ...elements.filter(holdsPassword).map((script) => at('password-in-page', script)),
    ...sdks
      .filter(({ attributes }) => !attributes.has('integrity') || !attributes.has('crossorigin'))
      .map((sdk) => at('sdk-integrity', sdk, 'src')),
    ...(takesCards && !hasPolicy && !elements.some(isPolicy) ? [{ rule: 'csp-missing' as const, path, line: 1, shown: '' }] : []),
    ...(takesCards
      ? elements.filter(isScript).map((script) => at('script-inventory', script, script.attributes.has('src') ? 'src' : ''))
      : []),
  ]
}

interface Element {
  readonly tag: string
  readonly line: number
  readonly attributes: ReadonlyMap<string, string>
  readonly text: string
  /** The forms that it stands in, itself if it is one. */
  readonly forms: readonly DefaultTreeAdapterTypes.Node[]
}

/** In the order of the page, without recursion: a page of a merchant may be nested deeper than the stack. */
function listElements(root: DefaultTreeAdapterTypes.Document): Element[] {
  const found: Element[] = []
  const waiting: { node: DefaultTreeAdapterTypes.Node; forms: readonly DefaultTreeAdapterTypes.Node[] }[] = [{ node: root, forms: [] }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node } = next
    const forms = node.nodeName === 'form' ? [...next.forms, node] : next.forms
    if ('tagName' in node) found.push(readElement(node, forms))
    const children = 'content' in node ? node.content.childNodes : 'childNodes' in node ? node.childNodes : []
    for (const child of children.toReversed()) waiting.push({ node: child, forms })
  }
  return found
}

function readElement(node: DefaultTreeAdapterTypes.Element, forms: Element['forms']): Element {
  const attributes = new Map(node.attrs.map(({ name, value }) => [name, value]))
  const text = node.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
  return { tag: node.tagName, line: node.sourceCodeLocation?.startLine ?? 1, attributes, text, forms }
}

function isCardInput({ tag, attributes }: Element): boolean {
  if (tag !== 'input' || ['hidden', 'checkbox', 'radio', 'submit', 'button'].includes(attributes.get('type') ?? '')) return false
  if (/(^|\s)cc-(number|exp|exp-month|exp-year|csc|name)(\s|$)/i.test(attributes.get('autocomplete') ?? '')) return true
  const words = ['id', 'name', 'placeholder', 'aria-label', 'class'].map((name) => attributes.get(name) ?? '').join(' ')
  return /card[-_ ]?(num|no\b|exp)|cc[-_ ]?(num|exp)|\b(cvv2?|cvc2?|csc)\b|номер карты|karta raqami/i.test(words)
}

/** The service's own way in: its script or its iframe. */
function isDoor({ tag, attributes }: Element): boolean {
  const src = attributes.get('src') ?? ''
  return (tag === 'script' && /\/sdk\/[^/]+\/tessera\.m?js([?#]|$)/.test(src)) || (tag === 'iframe' && /\/form\/v1([/?#]|$)/.test(src))
}

function isScript({ tag, attributes }: Element): boolean {
  return tag === 'script' && !/json/i.test(attributes.get('type') ?? '')
}

function isPolicy({ tag, attributes }: Element): boolean {
  return tag === 'meta' && (attributes.get('http-equiv') ?? '').toLowerCase() === 'content-security-policy'
}

function isTickedConsent({ tag, attributes }: Element): boolean {
  const words = ['id', 'name', 'class', 'aria-label'].map((name) => attributes.get(name) ?? '').join(' ')
  return tag === 'input' && attributes.get('type') === 'checkbox' && attributes.has('checked') && /consent|agree|save|remember/i.test(words)
}

/** `X-Auth` with a merchant id of 24 hex digits, a colon and something behind it. */
function holdsPassword({ tag, text, attributes }: Element): boolean {
  const texts = tag === 'script' ? [text, ...attributes.values()] : [...attributes.values()]
  return texts.some((one) => password.test(one))
}

/** A report is pasted into tickets: what stands in an address or an action is told without the password in it. */
function hidePassword(text: string): string {
  return text.replace(new RegExp(password, 'gi'), (found) => `${found.slice(0, ID_LENGTH)}:***`)
}

/** An id of 24 hex digits, a colon (in an address it may be written %3A), and what is long enough to be a password. */
const password = /\b[0-9a-f]{24}(?::|%3A)[^\s'"`]{8,}/i
const ID_LENGTH = 24

const SHOWN_MAX = 120
