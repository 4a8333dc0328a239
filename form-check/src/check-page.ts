import { parse, type DefaultTreeAdapterTypes } from 'parse5'

import { checkElements, type PageContext, type PageElement } from './check-elements.ts'
import { checkPolicy } from './check-policy.ts'
import type { FormCheckFinding } from './finding.ts'
import { listScripts, type InventoryScript } from './inventory.ts'
import type { PageSource } from './read-pages.ts'

/** The result of checking the source of one page. */
export interface SourceCheckResult {
  readonly findings: readonly FormCheckFinding[]
  readonly scripts: readonly InventoryScript[]
}

/** Checks the source of one page. Elements that scripts add at run time are not part of it. */
export function checkPage({ path, text, policies, origin }: PageSource, formOrigin: string | null = null): SourceCheckResult {
  const elements = listElements(parse(text, { sourceCodeLocationInfo: true }))
  const context: PageContext = { path, half: 'source', origin, formOrigin }
  const findings = [...checkElements(elements, context), ...checkPolicy(elements, policies, context)]
  const takesCards = findings.some(({ rule }) => rule === 'script-inventory')
  const pageAddress = origin === null ? null : path
  return { findings, scripts: takesCards ? listScripts(elements, context, { address: pageAddress, bodies: new Map() }) : [] }
}

type TreeNode = DefaultTreeAdapterTypes.Node
type Forms = PageElement['forms']

/** In document order and without recursion: a merchant's page may be nested deeper than the stack. */
function listElements(document: DefaultTreeAdapterTypes.Document): PageElement[] {
  const found: { node: DefaultTreeAdapterTypes.Element; forms: Forms }[] = []
  const formsById = new Map<string, Forms[number]>()
  const pending: { node: TreeNode; forms: Forms }[] = [{ node: document, forms: [] }]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node } = next
    const form = node.nodeName === 'form' && 'attrs' in node ? { key: formKey(node), attributes: attributesOf(node) } : null
    if (form !== null) formsById.set(form.attributes['id'] ?? '', form)
    const forms = form === null ? next.forms : [...next.forms, form].slice(-maxForms)
    if ('tagName' in node) found.push({ node, forms })
    const children = 'content' in node ? node.content.childNodes : 'childNodes' in node ? node.childNodes : []
    for (const child of children.toReversed()) pending.push({ node: child, forms })
  }
  return found.map(({ node, forms }) => toPageElement(node, forms, formsById))
}

function toPageElement(node: DefaultTreeAdapterTypes.Element, forms: Forms, formsById: ReadonlyMap<string, Forms[number]>): PageElement {
  const attributes = attributesOf(node)
  const formById = formsById.get(attributes['form'] ?? '')
  const location = node.sourceCodeLocation
  return {
    tag: node.tagName,
    attributes,
    isChecked: false,
    text: node.childNodes.map((child) => ('value' in child ? child.value : '')).join(''),
    forms: attributes['form'] === undefined || formById === undefined ? forms : [...forms, formById],
    location: { line: location?.startLine ?? 1, column: location?.startCol ?? 1, selector: null },
  }
}

function attributesOf(node: DefaultTreeAdapterTypes.Element): Readonly<Record<string, string>> {
  return Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]))
}

/** A form is identified by its start offset: no two forms start at the same one. */
function formKey(node: DefaultTreeAdapterTypes.Element): string {
  return String(node.sourceCodeLocation?.startOffset)
}

const maxForms = 5
