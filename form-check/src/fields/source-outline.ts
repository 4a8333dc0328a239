import { parse, parseFragment, type DefaultTreeAdapterTypes } from 'parse5'

import { isScript } from '../element-kinds.ts'
import type { PageLocation } from '../finding.ts'

import { OutlineBuilder, type Outline } from './outline.ts'
import { readPictureAddress } from './pictures.ts'
import { findCardFields } from './card-fields.ts'
import {
  listScriptComponents,
  listScriptMarkup,
  listScriptMasks,
  readScriptFields,
  readScriptPrompts,
  readScriptWords,
} from './script-fields.ts'

/** The source of a page as outlines: its own, and one for each frame in a `srcdoc`, each template in a script, and each markup that a script writes. */
export interface SourceOutlines {
  readonly page: Outline
  readonly written: readonly Outline[]
  readonly masks: ReadonlyMap<string, string>
  readonly components: ReadonlySet<string>
}

/** Parses a page as a browser does, with the line, column and selector of each element. */
export function parseSource(text: string): SourceOutlines {
  const page = outlineOf(parse(text, { sourceCodeLocationInfo: true }), (_offset, line, column) => ({ line, column }))
  const masks = new Map<string, string>()
  const components = new Set<string>()
  const written: Outline[] = []
  for (const element of page.elements) {
    const { tag, attributes, code, location } = element
    if (tag === 'iframe' && attributes['srcdoc'] !== undefined) written.push(outlineAt(parse(attributes['srcdoc']), location))
    if (tag !== 'script' || code === '' || written.length > maxWritten) continue
    if (isMarkupTemplate(attributes['type'] ?? ''))
      written.push(outlineAt(parseFragment(code, { sourceCodeLocationInfo: true }), location, code))
    else if (isScript(element)) {
      written.push(...outlinesOfScript(code, location))
      for (const [name, mask] of listScriptMasks(code)) masks.set(name, mask)
      for (const name of listScriptComponents(code)) components.add(name)
    }
  }
  return { page, written, masks, components }
}

function outlinesOfScript(code: string, script: PageLocation): Outline[] {
  const lines = lineStarts(code)
  const locate = (position: number): PageLocation => placeInScript(script, lines, position)
  const markup = listScriptMarkup(code).map(({ html, positionOf }) =>
    outlineOf(parseFragment(html, { sourceCodeLocationInfo: true }), (offset) => locate(positionOf(offset))),
  )
  const made = [...markup, readScriptFields(code, locate), readScriptPrompts(code, locate)].filter((outline) => outline !== null)
  const worded = made.some((outline) => findCardFields(outline).length > 0) ? null : readScriptWords(code, locate)
  return worded === null ? made : [...made, worded]
}

/** An outline whose elements are all reported at the element that contains their text, or by their line in it when the text is known. */
function outlineAt(tree: TreeRoot, container: PageLocation, code?: string): Outline {
  const lines = code === undefined ? null : lineStarts(code)
  return outlineOf(tree, (offset) => (lines === null ? container : placeInScript(container, lines, offset)))
}

function placeInScript(script: PageLocation, lines: readonly number[], position: number): PageLocation {
  const index = lines.findLastIndex((start) => start <= position)
  if (index <= 0) return script
  return { line: (script.line ?? 1) + index, column: position - (lines[index] ?? 0) + 1, selector: script.selector }
}

function lineStarts(code: string): number[] {
  return [0, ...Array.from(code.matchAll(/\n/g), ({ index }) => index + 1)]
}

type TreeRoot = DefaultTreeAdapterTypes.Document | DefaultTreeAdapterTypes.DocumentFragment
type TreeNode = DefaultTreeAdapterTypes.Node
type Place = (offset: number, line: number, column: number) => Omit<PageLocation, 'selector'> & { readonly selector?: string | null }

function outlineOf(root: TreeRoot, placeOf: Place): Outline {
  const builder = new OutlineBuilder()
  const drawn = new Map<string, string>()
  const pending: { node: TreeNode; isEnd: boolean }[] = [{ node: root, isEnd: false }]
  // The parts of markup that a script writes at once are one group.
  if (root.nodeName === '#document-fragment')
    builder.open({ tag: 'section', attributes: {}, isChecked: false, code: '', location: { ...placeOf(0, 1, 1), selector: null } })
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, isEnd } = next
    if (isEnd) {
      builder.close()
      continue
    }
    if (node.nodeName === '#text' && 'value' in node) builder.text(node.value)
    if ('tagName' in node) {
      const { startLine: line = 1, startCol: column = 1, startOffset: offset = 0 } = node.sourceCodeLocation ?? {}
      const place = placeOf(offset, line, column)
      const selector = isReported(node) ? pathOf(node) : null
      builder.open({
        tag: node.tagName,
        attributes: attributesOf(node),
        isChecked: false,
        code: codeOf(node),
        location: { ...place, selector: place.selector ?? selector },
      })
      pending.push({ node, isEnd: true })
      if (node.tagName === 'style') addDrawnTexts(drawn, node.childNodes.map((child) => ('value' in child ? child.value : '')).join(''))
      for (const text of [drawnTextOf(node, drawn), pictureTextOf(node)]) if (text !== '') builder.text(text)
    }
    for (const child of shownChildrenOf(node).toReversed()) pending.push({ node: child, isEnd: false })
  }
  return builder.build()
}

/** Adds the texts that a style sheet draws before elements, by the last id, class or attribute of each selector: `.number::before { content: "Card" }`. */
function addDrawnTexts(drawn: Map<string, string>, css: string): void {
  for (const [, selectors = '', text = ''] of css.matchAll(
    /([^{}]{1,300})::?(?:before|after)\s*\{[^}]{0,500}?content\s*:\s*("[^"]*"|'[^']*'|attr\([\w-]+\))/g,
  )) {
    for (const selector of selectors.split(',')) {
      const [, key] = /([#.][\w-]+|\[[\w-]+[^\]]*\])[^\s>+~#.[]*$/.exec(selector.trim().replace(/::?(before|after)$/, '')) ?? []
      if (key !== undefined && drawn.size < maxDrawn) drawn.set(key.replace(/^\[([\w-]+).*$/, '[$1'), text)
    }
  }
}

function drawnTextOf({ attrs }: DefaultTreeAdapterTypes.Element, drawn: ReadonlyMap<string, string>): string {
  if (drawn.size === 0) return ''
  const keys = attrs.flatMap(({ name, value }) => {
    if (name === 'id') return [`#${value}`]
    return name === 'class' ? value.split(/\s+/).map((part) => `.${part}`) : [`[${name}`]
  })
  const text = keys.map((key) => drawn.get(key)).find((found) => found !== undefined) ?? ''
  const attribute = /^attr\(([\w-]+)\)$/.exec(text)?.[1]
  return attribute === undefined ? text.slice(1, -1) : (attrs.find(({ name }) => name === attribute)?.value ?? '')
}

/** What stands for a picture where it is not seen, or else what it shows. */
function pictureTextOf({ tagName, attrs }: DefaultTreeAdapterTypes.Element): string {
  if (tagName !== 'img') return ''
  const valueOf = (name: string): string => attrs.find((attribute) => attribute.name === name)?.value ?? ''
  return valueOf('alt').trim() === '' ? readPictureAddress(valueOf('src')) : valueOf('alt')
}

/** What a person reads is inside these; the text of a script, a style sheet or an option is not part of a label. */
function shownChildrenOf(node: TreeNode): readonly TreeNode[] {
  if (/^(script|style|select|textarea)$/.test(node.nodeName)) return []
  return 'content' in node ? node.content.childNodes : 'childNodes' in node ? node.childNodes : []
}

function codeOf(node: DefaultTreeAdapterTypes.Element): string {
  if (node.tagName === 'script') return node.childNodes.map((child) => ('value' in child ? child.value : '')).join('')
  if (node.tagName !== 'select') return ''
  const options = node.childNodes.flatMap((child) => ('tagName' in child ? [child, ...child.childNodes] : []))
  return options
    .flatMap((option) =>
      'tagName' in option && option.tagName === 'option' ? option.childNodes.map((child) => ('value' in child ? child.value : '')) : [],
    )
    .join('\n')
}

/** The path of CSS selectors that the probe in the browser writes too: from the nearest id, at most eight steps. */
function pathOf(node: DefaultTreeAdapterTypes.Element): string {
  const steps: string[] = []
  let current: DefaultTreeAdapterTypes.Element | null = node
  while (current !== null && steps.length < 8) {
    const id: string = current.attrs.find(({ name }) => name === 'id')?.value ?? ''
    if (id !== '') {
      steps.unshift(/^[a-z_][\w-]*$/i.test(id) ? `#${id}` : `[id="${id.replace(/["\\]/g, '\\$&')}"]`)
      break
    }
    const { tagName, parentNode }: DefaultTreeAdapterTypes.Element = current
    const siblings: readonly TreeNode[] = parentNode !== null && parentNode.childNodes.length <= maxSiblings ? parentNode.childNodes : []
    const same = siblings.filter(({ nodeName }) => nodeName === tagName)
    steps.unshift(same.length > 1 ? `${tagName}:nth-of-type(${same.indexOf(current) + 1})` : tagName)
    current = parentNode !== null && 'tagName' in parentNode ? parentNode : null
  }
  return steps.join(' > ')
}

/** Elements that findings are about; the others need no selector. */
function isReported({ tagName, attrs }: DefaultTreeAdapterTypes.Element): boolean {
  return (
    reportedTags.test(tagName) || tagName.includes('-') || attrs.some(({ name }) => /^(contenteditable|role|onclick|tabindex)$/.test(name))
  )
}

function attributesOf(node: DefaultTreeAdapterTypes.Element): Readonly<Record<string, string>> {
  return Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]))
}

/** Templates of libraries, and JSX that is compiled in the browser. */
function isMarkupTemplate(type: string): boolean {
  return /^(text\/(html|template|x-template|x-handlebars(-template)?|x-mustache|ng-template|x-tmpl|babel|jsx))$/i.test(type.trim())
}

const maxWritten = 300
const maxDrawn = 1000
const maxSiblings = 500
const reportedTags = /^(input|textarea|select|form|script|iframe|a|button|summary|meta|link)$/
