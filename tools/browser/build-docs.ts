import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { headingAnchor } from '../checks/references.ts'
import { replaceFile } from '../replace-file.ts'

/** Writes the pages of `docs/` as HTML into `folder`, from which the service serves them at `/docs`. Returns their number and their bytes. */
export function buildDocs(root: string, folder: string): { readonly files: number; readonly bytes: number } {
  const files = printDocs(root)
  rmSync(folder, { recursive: true, force: true })
  for (const [name, contents] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    replaceFile(join(folder, name), contents)
  }
  return { files: files.size, bytes: [...files.values()].reduce((sum, { length }) => sum + length, 0) }
}

/** The files by their names: `reference/errors.html` is served at `/docs/reference/errors`. Pictures and the OpenRPC document are as they are. */
export function printDocs(root: string): ReadonlyMap<string, Uint8Array> {
  const read = (path: string): string => readFileSync(join(root, 'docs', path), 'utf8')
  const paths = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
  const sources = paths.filter((path) => path.endsWith('.md')).map((path) => ({ path, text: read(path) }))
  const copied = paths.filter((path) => /^pictures\/[\w-]+\.png$|^reference\/openrpc\.json$/.test(path))
  const css = readFileSync(join(root, 'dashboard/docs/docs.css'))
  const style = `style-${createHash('sha256').update(css).digest('hex').slice(0, 16)}.css`
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const site: DocsSite = {
    served: new Set([...sources.map(({ path }) => path), ...copied]),
    titles: new Map(sources.map(({ path, text }) => [path, titleOf(text)])),
    style,
    version,
  }
  return new Map([
    ...sources.map((source) => [`${addressOf(source.path)}.html`, Buffer.from(printPage(source, site))] as const),
    ...copied.map((path) => [path, readFileSync(join(root, 'docs', path))] as const),
    [style, css] as const,
  ])
}

interface DocsSite {
  /** Paths below `docs/`. */
  readonly served: ReadonlySet<string>
  readonly titles: ReadonlyMap<string, string>
  readonly style: string
  readonly version: string
}

interface DocsSource {
  readonly path: string
  readonly text: string
}

interface DocsHeading {
  readonly id: string
  readonly title: string
}

function printPage({ path, text }: DocsSource, site: DocsSite): string {
  const headings: DocsHeading[] = []
  const content = createPrinter(path, site, headings).parse(text, { async: false })
  const title = site.titles.get(path) ?? ''
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>${escapeHtml(title)} · Tessera</title>` +
    `<link rel="icon" href="data:,"><link rel="stylesheet" href="/docs/${site.style}"></head><body>` +
    `<a class="skip" href="#content">Skip to the content</a>` +
    `<header><a href="/docs">Tessera documentation</a><span>Version ${escapeHtml(site.version)}</span><a href="/dashboard">Dashboard</a></header>` +
    `<div class="page"><main id="content">${content}</main>${printNavigation(path, site, headings)}</div></body></html>`
  )
}

/** The pages of the folder, with the sections of this one. Of a folder with more pages than a person looks through, this one alone. */
function printNavigation(path: string, { titles }: DocsSite, headings: readonly DocsHeading[]): string {
  const folder = posix.dirname(path)
  const inFolder = [...titles].filter(([other]) => posix.dirname(other) === folder && other !== 'README.md')
  const near = inFolder.length <= nearMax ? inFolder : inFolder.filter(([other]) => other === path)
  const sections = headings.map(({ id, title }) => `<li><a href="#${id}">${title}</a></li>`).join('')
  const items = near.map(([other, title]) => {
    const isCurrent = other === path
    const current = isCurrent ? ' aria-current="page"' : ''
    return `<li><a href="/docs/${addressOf(other)}"${current}>${escapeHtml(title)}</a>${isCurrent && sections !== '' ? `<ul>${sections}</ul>` : ''}</li>`
  })
  const list = path === 'README.md' ? sections : items.join('')
  return `<nav aria-label="Pages"><a href="/docs">All pages</a><h2>${escapeHtml(folderName(folder))}</h2><ul>${list}</ul></nav>`
}

/** Markdown of GitHub as HTML. A link to what is not served, such as a source, is its text. */
function createPrinter(path: string, { served }: DocsSite, headings: DocsHeading[]): Marked {
  const counted = new Map<string, number>()
  let tables = 0
  const printer = new Marked({ gfm: true })
  printer.use({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        const anchor = headingAnchor(text)
        const seen = counted.get(anchor) ?? 0
        counted.set(anchor, seen + 1)
        const id = seen === 0 ? anchor : `${anchor}-${String(seen)}`
        const title = this.parser.parseInline(tokens)
        if (depth === 2) headings.push({ id, title: title.replaceAll(/<\/?a\b[^>]*>/g, '') })
        return `<h${String(depth)} id="${id}">${title}</h${String(depth)}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const text = this.parser.parseInline(tokens)
        const address = resolveLink(href, path, served)
        return 'href' in address
          ? `<a href="${escapeHtml(address.href)}">${text}</a>`
          : `<span title="${escapeHtml(address.source)}">${text}</span>`
      },
      image({ href, text }: Tokens.Image) {
        const address = resolveLink(href, path, served)
        return 'href' in address ? `<img src="${escapeHtml(address.href)}" alt="${escapeHtml(text)}" loading="lazy">` : escapeHtml(text)
      },
      html: ({ text }: Tokens.HTML | Tokens.Tag) => text.replaceAll(/<!--[\s\S]*?-->/g, ''),
    },
    hooks: {
      // A wide table, or a long line of code, is scrolled by itself, also by the keyboard.
      postprocess: (html) =>
        html
          .replaceAll('<table>', () => `<div class="table" role="region" aria-label="Table ${String(++tables)}" tabindex="0"><table>`)
          .replaceAll('</table>', '</table></div>')
          .replaceAll('<th></th>', '<td></td>')
          .replaceAll('<pre>', '<pre tabindex="0">'),
    },
  })
  return printer
}

type ResolvedLink = { readonly href: string } | { readonly source: string }

function resolveLink(href: string, path: string, served: ReadonlySet<string>): ResolvedLink {
  if (/^(?:https?:|mailto:|#)/.test(href)) return { href }
  const [target = '', anchor] = href.split('#')
  const file = posix.join(posix.dirname(path), decodeURI(target)).replace(/\/$/, '')
  const found = [file, `${file}/README.md`].find((each) => served.has(each))
  if (found === undefined) return { source: posix.join('docs', posix.dirname(path), decodeURI(target)) }
  const address = addressOf(found)
  return { href: `/docs${address === 'index' ? '' : `/${address}`}${anchor === undefined ? '' : `#${anchor}`}` }
}

/** A page is at its path without the ending, and a README at its folder. */
function addressOf(path: string): string {
  const page = path.replace(/(?:^|\/)README\.md$/, '').replace(/\.md$/, '')
  return page === '' ? 'index' : page
}

function titleOf(text: string): string {
  return (/^# (.+)$/m.exec(text)?.[1] ?? 'Tessera').replaceAll('`', '')
}

function folderName(folder: string): string {
  const name = folder === '.' ? 'Sections' : (folder.split('/').at(-1) ?? '')
  return `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

const nearMax = 40
