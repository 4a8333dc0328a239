import { CannotCheck } from './cannot-check.ts'
import { checkPage } from './check-page.ts'
import type { Finding } from './finding.ts'
import type { ListedScript } from './inventory.ts'
import { checkLive } from './live/check-live.ts'
import type { LiveAsked } from './live/live-asked.ts'
import { readPages } from './read-pages.ts'
import { hideSecrets } from './secrets.ts'

/** What is to be checked, and how. */
export interface CheckAsked extends LiveAsked {
  /** An http(s) address, a folder of pages, or one file. */
  readonly target: string
  /** Whether a browser opens the pages; the source is always read. */
  readonly isLive: boolean
}

/** What was found: plain, fit for JSON. */
export interface Report {
  readonly target: string
  readonly pages: readonly string[]
  /** Null when no browser was asked for. */
  readonly live: { readonly browser: string; readonly pages: readonly string[]; readonly formOrigin: string | null } | null
  readonly findings: readonly Finding[]
  /** The inventory of scripts that PCI DSS 6.4.3 asks for; its purposes are the merchant's to fill in. */
  readonly scripts: readonly ListedScript[]
  /** What was not looked at. */
  readonly notes: readonly string[]
}

/** Holds the pages of a merchant against the rules. Throws `CannotCheck` when there is nothing to check, or no browser to do it with. */
export async function checkForm(asked: CheckAsked): Promise<Report> {
  asked.progress(`Reading ${asked.target}`)
  const pages = await readPages(asked.target, asked.signal, asked.cookies)
  const checked = pages.map((page) => checkPage(page, asked.formOrigin))
  const ofSource = checked.flatMap(({ findings }) => findings)
  const paths = pages.map(({ path }) => path)
  const told = { target: hideSecrets(asked.target), pages: paths.map(hideSecrets) }
  if (!asked.isLive) {
    const scripts = checked.flatMap((one) => one.scripts)
    return { ...told, live: null, findings: ofSource, scripts, notes: [onlyHalf] }
  }
  const { findings, scripts, notes, ...live } = await checkLive(asked, paths)
  const known = new Set(ofSource.map(keyOf))
  const more = findings.filter((finding) => !known.has(keyOf(finding)))
  return { ...told, live, findings: [...ofSource, ...more], scripts, notes }
}

/** The same element breaks the same rule in both halves: it is told once, with its line. */
function keyOf({ rule, path, shown }: Finding): string {
  return JSON.stringify([rule, path, shown])
}

/** Said with every such report, so that nobody takes half for the whole. */
export const onlyHalf =
  'Only the source was checked. Inputs that scripts add, closed shadow roots, hidden links, requests and stores are seen by a browser: leave --static out.'

export { CannotCheck }
