import { posix } from 'node:path'
import type { Tree } from '../tree.ts'
import type { CheckFinding } from './finding.ts'
import { isCode } from './kinds.ts'

/**
 * A check: every reference resolves. A relative link of a page leads to a file or folder of the project, and its anchor to a heading. So does a
 * page that code names (`docs/reference/wire.md#errors`), and each conformance vector cites a page or a public standard. A section sign
 * belongs to a public standard: pages that a reader cannot open are not cited. The index of the pages lists each decision once, in the order of
 * their numbers.
 */
export function checkReferences(tree: Tree): CheckFinding[] {
  return [
    ...tree.paths.filter((path) => path.endsWith('.md')).flatMap((path) => checkLinks(tree, path)),
    ...tree.paths.filter(mayCite).flatMap((path) => checkCitations(tree, path)),
    ...tree.paths.filter((path) => /^conformance\/vectors\/.*\.json$/.test(path)).flatMap((path) => checkVectors(tree, path)),
    ...(tree.has(pageIndex) ? checkDecisionList(tree) : []),
  ]
}

function checkLinks(tree: Tree, path: string): CheckFinding[] {
  const folders = new Set(tree.paths.flatMap(listFolders))
  return listLinks(tree.read(path)).flatMap(({ line, link }) => {
    const [target = '', anchor] = link.split('#')
    const file = target === '' ? path : posix.join(posix.dirname(path), decodeURI(target)).replace(/\/$/, '')
    if (!tree.has(file) && !folders.has(file)) return [{ path, line, text: `links to ${link}, and there is no ${file}` }]
    return isLostAnchor(tree, file, anchor) ? [{ path, line, text: `links to ${link}, and ${file} has no heading of that name` }] : []
  })
}

/** Pages, code, statements and vectors; not the tests of the checks, with their planted violations, and not what pages are printed from, whose links are theirs. */
function mayCite(path: string): boolean {
  return (isCode(path) || /\.(md|mjs|js|sql|json|css|html)$/.test(path)) && !/^tools\/(checks|pages)\/|^package-lock/.test(path)
}

function checkCitations(tree: Tree, path: string): CheckFinding[] {
  const lines = tree.read(path).split('\n')
  return lines.flatMap((text, index) => {
    const line = index + 1
    const lost = path.endsWith('.md') ? [] : listCited(text).filter((cited) => !isCitationFound(tree, path, cited))
    return [
      ...lost.map(({ page, anchor }) => ({
        path,
        line,
        text: `cites ${page}${anchor === '' ? '' : `#${anchor}`}, which is not in this repository`,
      })),
      ...[...text.matchAll(outside)].map(([cited]) => ({
        path,
        line,
        text: `cites "${cited}": cite a page of this repository (docs/reference/…)`,
      })),
    ]
  })
}

/** Pages outside the repository, by their names. */
const outside = /\b(?:wire|security|architecture|spec|specification)(?:\.md)?,? §|(?:\.\.\/)?\bshared\/(?:design|spec|issues)\//gi

type Citation = { readonly page: string; readonly anchor: string }

/** Paths that end in `.md`, outside of addresses. */
function listCited(text: string): Citation[] {
  const pages = text.matchAll(/(?<![\w./:@-])((?:[\w.-]+\/)*[\w.-]+\.md)\b(?:#([\w-]+))?/g)
  return [...pages].map(([, page = '', anchor = '']) => ({ page, anchor }))
}

/** From the root, beside the file, or a bare name that one page of the project has. */
function isCitationFound(tree: Tree, path: string, { page, anchor }: Citation): boolean {
  const candidates = [posix.normalize(page), posix.join(posix.dirname(path), page), ...(page.includes('/') ? [] : listNamed(tree, page))]
  return candidates.some((file) => tree.has(file) && !isLostAnchor(tree, file, anchor === '' ? undefined : anchor))
}

function listNamed(tree: Tree, name: string): string[] {
  return tree.paths.filter((path) => path.endsWith(`/${name}`))
}

/** A vector says which rule it tests: an anchor of a page in `docs/reference/`, or a section of a public standard. */
function checkVectors(tree: Tree, path: string): CheckFinding[] {
  const { cases = [] } = JSON.parse(tree.read(path)) as { cases?: { title?: string; spec?: string }[] }
  const uncited = cases.filter(({ spec = '' }) => !/\bdocs\/reference\/[\w.-]+\.md#[\w-]+|^RFC \d+/.test(spec))
  return uncited.map(({ title = '' }) => ({
    path,
    line: lineHolding(tree.read(path), title),
    text: `"${title}" cites no rule: docs/reference/….md#…`,
  }))
}

const pageIndex = 'docs/README.md'

/** `checkLinks` finds a decision that is listed and has no file. */
function checkDecisionList(tree: Tree): CheckFinding[] {
  const isDecision = (file: string): boolean => /^docs\/decisions\/\d{4}-[^/]*\.md$/.test(file)
  const listed = listLinks(tree.read(pageIndex)).flatMap(({ line, link }) => {
    const file = posix.join(posix.dirname(pageIndex), link)
    return isDecision(file) ? [{ line, file }] : []
  })
  const disordered = listed.flatMap(({ line, file }, index) => {
    const before = listed[index - 1]?.file ?? ''
    if (listed.findIndex((each) => each.file === file) < index) return [{ path: pageIndex, line, text: `lists ${file} twice` }]
    return file < before ? [{ path: pageIndex, line, text: `lists ${file} after ${before}: the list is in the order of the numbers` }] : []
  })
  const missing = tree.paths.filter((path) => isDecision(path) && !listed.some(({ file }) => file === path))
  return [...disordered, ...missing.map((file) => ({ path: pageIndex, line: 1, text: `does not list ${file}` }))]
}

function lineHolding(text: string, part: string): number {
  return text.slice(0, Math.max(text.indexOf(part), 0)).split('\n').length
}

function isLostAnchor(tree: Tree, file: string, anchor: string | undefined): boolean {
  return anchor !== undefined && file.endsWith('.md') && !listAnchors(tree.read(file)).has(anchor)
}

/** Links and images, `[x](y)` and `[x]: y`; code is no place for links, and addresses of other schemes are not checked. */
function listLinks(text: string): { line: number; link: string }[] {
  const lines = withoutCode(text).split('\n')
  return lines.flatMap((line, index) => {
    const links = [...line.matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*<?([^\s>]+)/g)].map((match) => match[1] ?? match[2] ?? '')
    return links.filter((link) => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(link)).map((link) => ({ line: index + 1, link }))
  })
}

/** Headings as GitHub spells their anchors, and anchors written by hand. */
function listAnchors(text: string): Set<string> {
  const headings = [...withoutFences(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map((match) => headingAnchor(match[1] ?? ''))
  const byHand = [...text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)].map((match) => match[1] ?? '')
  const counted = new Map<string, number>()
  const numbered = headings.map((heading) => {
    const seen = counted.get(heading) ?? 0
    counted.set(heading, seen + 1)
    return seen === 0 ? heading : `${heading}-${seen}`
  })
  return new Set([...numbered, ...byHand])
}

/** The anchor of a heading, as GitHub spells it. */
export function headingAnchor(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
}

function withoutCode(text: string): string {
  return withoutFences(text).replaceAll(/`[^`\n]*`/g, '')
}

function withoutFences(text: string): string {
  return text.replaceAll(/^(```+|~~~+)[\s\S]*?^\1/gm, (fence) => fence.replaceAll(/[^\n]/g, ''))
}

function listFolders(path: string): string[] {
  const parts = path.split('/')
  return ['.', ...parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'))]
}
