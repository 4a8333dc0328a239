import { checkPage } from './check-page.ts'
import { FormCheckError, type FormCheckFinding } from './finding.ts'
import type { InventoryScript } from './inventory.ts'
import { checkLive } from './live/check-live.ts'
import type { LiveCheckOptions } from './live/check-live-page.ts'
import { redactSecrets } from './redact-secrets.ts'
import { readPages } from './read-pages.ts'

export interface FormCheckOptions extends LiveCheckOptions {
  /** An http(s) address, a folder of pages, or one file. */
  readonly target: string
  /** Whether the pages are also opened in a browser. The source is always checked. */
  readonly isLive: boolean
}

/** The result of a check, ready for JSON. */
export interface FormCheckReport {
  readonly target: string
  readonly pages: readonly string[]
  /** Null when only the source was checked. */
  readonly live: { readonly browser: string; readonly pages: readonly string[]; readonly formOrigin: string | null } | null
  readonly findings: readonly FormCheckFinding[]
  /** The script inventory that PCI DSS 6.4.3 requires. The merchant fills in the purposes. */
  readonly scripts: readonly InventoryScript[]
  /** What was not checked. */
  readonly notes: readonly string[]
}

/** Checks a merchant's pages against the rules. Throws `FormCheckError` when there is nothing to check or no browser to check it with. */
export async function checkForm(options: FormCheckOptions): Promise<FormCheckReport> {
  options.onProgress(`Reading ${options.target}`)
  const pages = await readPages(options.target, options.signal, options.cookies)
  const sourceResults = pages.map((page) => checkPage(page, options.formOrigin))
  const sourceFindings = sourceResults.flatMap(({ findings }) => findings)
  const paths = pages.map(({ path }) => path)
  const checked = { target: redactSecrets(options.target), pages: paths.map(redactSecrets) }
  if (!options.isLive) {
    const scripts = sourceResults.flatMap((result) => (result.takesCards ? result.scripts : []))
    return { ...checked, live: null, findings: sourceFindings, scripts, notes: [sourceOnlyNote] }
  }
  const { findings, scripts, notes, ...live } = await checkLive(options, paths)
  const sourceKeys = new Set(sourceFindings.map(findingKey))
  const liveFindings = findings.filter((finding) => !sourceKeys.has(findingKey(finding)))
  return { ...checked, live, findings: [...sourceFindings, ...liveFindings], scripts, notes }
}

/** When both halves find the same violation, it is reported once, with the line of the source. */
function findingKey({ rule, path, shown }: FormCheckFinding): string {
  return JSON.stringify([rule, path, shown])
}

/** Part of every source-only report, so that it is not taken for a full check. */
const sourceOnlyNote =
  'Only the source was checked. Inputs added by scripts, closed shadow roots, hidden links, requests and browser storage can only be checked in a browser: run without --static.'

export { FormCheckError }
