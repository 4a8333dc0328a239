import { posix } from 'node:path'
import type { Tree } from '../tree.ts'
import type { Finding } from './finding.ts'

/** A check: every relative link of a page leads to a file or folder of the project, and every anchor to a heading. */
export function checkLinks(tree: Tree): Finding[] {
  const pages = tree.paths.filter((path) => path.endsWith('.md'))
  const folders = new Set(tree.paths.flatMap(listFolders))
  return pages.flatMap((path) =>
    listLinks(tree.read(path)).flatMap(({ line, link }) => {
      const [target = '', anchor] = link.split('#')
      const file = target === '' ? path : posix.join(posix.dirname(path), decodeURI(target)).replace(/\/$/, '')
      if (!tree.has(file) && !folders.has(file)) return [{ path, line, text: `links to ${link}, and there is no ${file}` }]
      const isLost = anchor !== undefined && file.endsWith('.md') && !listAnchors(tree.read(file)).has(anchor)
      return isLost ? [{ path, line, text: `links to ${link}, and ${file} has no heading of that name` }] : []
    }),
  )
}

/** Links and images, `[x](y)` and `[x]: y`; code is no place for links, and other schemes are not ours to keep. */
function listLinks(text: string): { line: number; link: string }[] {
  const lines = withoutCode(text).split('\n')
  return lines.flatMap((line, index) => {
    const links = [...line.matchAll(/\]\(<?([^)\s>]+)>?[^)]*\)|^\[[^\]]+\]:\s*<?([^\s>]+)/g)].map((match) => match[1] ?? match[2] ?? '')
    return links.filter((link) => !/^[a-z][a-z0-9+.-]*:|^\/\//i.test(link)).map((link) => ({ line: index + 1, link }))
  })
}

/** Headings as GitHub spells their anchors, and anchors written by hand. */
function listAnchors(text: string): Set<string> {
  const headings = [...withoutFences(text).matchAll(/^#{1,6}\s+(.+?)\s*#*$/gm)].map((match) => slug(match[1] ?? ''))
  const byHand = [...text.matchAll(/<a\s+(?:id|name)="([^"]+)"/g)].map((match) => match[1] ?? '')
  const counted = new Map<string, number>()
  const numbered = headings.map((heading) => {
    const seen = counted.get(heading) ?? 0
    counted.set(heading, seen + 1)
    return seen === 0 ? heading : `${heading}-${seen}`
  })
  return new Set([...numbered, ...byHand])
}

function slug(heading: string): string {
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
