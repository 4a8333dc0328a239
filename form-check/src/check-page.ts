import { parse, type DefaultTreeAdapterTypes } from 'parse5'

import type { Finding } from './finding.ts'
import { listScripts, type ListedScript } from './inventory.ts'
import { judgeElements, type PageElement, type PageFacts } from './judge-elements.ts'
import { judgePolicy } from './judge-policy.ts'
import type { Page } from './read-pages.ts'

/** What the source of one page shows. */
export interface CheckedPage {
  readonly findings: readonly Finding[]
  readonly scripts: readonly ListedScript[]
}

/** Holds the source of one page against the rules. What scripts add later is not seen here. */
export function checkPage({ path, text, policies, origin }: Page, formOrigin: string | null = null): CheckedPage {
  const elements = listElements(parse(text, { sourceCodeLocationInfo: true }))
  const facts: PageFacts = { path, half: 'source', origin, formOrigin }
  const findings = [...judgeElements(elements, facts), ...judgePolicy(elements, policies, facts)]
  return {
    findings,
    scripts: findings.some(({ rule }) => rule === 'script-inventory')
      ? listScripts(elements, facts, { address: origin === null ? null : path, bodies: new Map() })
      : [],
  }
}

type Node = DefaultTreeAdapterTypes.Node
type Forms = PageElement['forms']

/** In the order of the page, without recursion: a page of a merchant may be nested deeper than the stack. */
function listElements(root: DefaultTreeAdapterTypes.Document): PageElement[] {
  const found: { node: DefaultTreeAdapterTypes.Element; forms: Forms }[] = []
  const byId = new Map<string, Forms[number]>()
  const waiting: { node: Node; forms: Forms }[] = [{ node: root, forms: [] }]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node } = next
    const form = node.nodeName === 'form' && 'attrs' in node ? { key: keyOf(node), attributes: attributesOf(node) } : null
    if (form !== null) byId.set(form.attributes['id'] ?? '', form)
    const forms = form === null ? next.forms : [...next.forms, form].slice(-FORMS_MAX)
    if ('tagName' in node) found.push({ node, forms })
    const children = 'content' in node ? node.content.childNodes : 'childNodes' in node ? node.childNodes : []
    for (const child of children.toReversed()) waiting.push({ node: child, forms })
  }
  return found.map(({ node, forms }) => readElement(node, forms, byId))
}

function readElement(node: DefaultTreeAdapterTypes.Element, forms: Forms, byId: ReadonlyMap<string, Forms[number]>): PageElement {
  const attributes = attributesOf(node)
  const named = byId.get(attributes['form'] ?? '')
  const at = node.sourceCodeLocation
  return {
    ...{ tag: node.tagName, attributes, checked: false },
    text: node.childNodes.map((child) => ('value' in child ? child.value : '')).join(''),
    forms: attributes['form'] === undefined || named === undefined ? forms : [...forms, named],
    place: { line: at?.startLine ?? 1, column: at?.startCol ?? 1, selector: null },
  }
}

function attributesOf(node: DefaultTreeAdapterTypes.Element): Readonly<Record<string, string>> {
  return Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]))
}

/** A form is known by where it starts: two never start at one place. */
function keyOf(node: DefaultTreeAdapterTypes.Element): string {
  return String(node.sourceCodeLocation?.startOffset)
}

const FORMS_MAX = 5
