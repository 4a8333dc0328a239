import type { ExportCell, ExportColumn, ExportPage, ExportSource } from '../app/export-jobs.ts'

/** How far an export is. */
export interface ExportProgress {
  readonly rows: number
  readonly atMost: number | null
  readonly unread: number
  /** The service did not respond, and is asked again. */
  readonly isWaiting: boolean
}

export interface ExportRunDependencies {
  readonly signal: AbortSignal
  readonly onProgress: (progress: ExportProgress) => void
  /** Resolves after so many milliseconds, or rejects when the export is stopped. */
  readonly wait: (ms: number) => Promise<void>
  /** Whether a failed call is worth another try: no connection, or a service that is overloaded or starting. */
  readonly isTemporary: (err: unknown) => boolean
}

/**
 * Reads a list page by page. A page that failed is asked for again at the same cursor, so that a service that restarts loses nothing and repeats nothing. Throws
 * the last error after some minutes of failures, and at once any that is not temporary.
 */
export async function* readExport(
  source: ExportSource,
  { signal, onProgress, wait, isTemporary }: ExportRunDependencies,
): AsyncGenerator<ExportPage, void> {
  const fetchPage = source.open()
  let after: string | null = null
  let [rows, unread] = [0, 0]
  let atMost: number | null = null
  let failures = 0
  do {
    signal.throwIfAborted()
    let page: ExportPage
    try {
      page = await fetchPage(after)
    } catch (err) {
      if (!isTemporary(err) || failures === maxFailures) throw err
      onProgress({ rows, atMost, unread, isWaiting: true })
      await wait(Math.min(maxWaitMs, 1000 * 2 ** failures++))
      continue
    }
    failures = 0
    atMost ??= page.atMost ?? null
    unread = Math.max(unread, page.unread ?? 0)
    rows += page.rows.length
    onProgress({ rows, atMost, unread, isWaiting: false })
    yield page
    after = page.next
    if (after === null) return
  } while (true)
}

/** The rows of all pages, after the columns, which are those of the first one. */
export interface ExportRows {
  readonly columns: readonly ExportColumn[]
  readonly rows: AsyncGenerator<readonly ExportCell[], void>
}

/** Reads the first page, which says the columns. */
export async function openExportRows(pages: AsyncGenerator<ExportPage, void>): Promise<ExportRows> {
  const first = await pages.next()
  const columns = first.done === true ? [] : first.value.columns
  async function* rows(): AsyncGenerator<readonly ExportCell[], void> {
    if (first.done === true) return
    yield* first.value.rows
    for await (const page of pages) yield* page.rows
  }
  return { columns, rows: rows() }
}

/** 1, 2, 4 … 30 s: together some five minutes, longer than a service takes to restart. */
const maxFailures = 14
const maxWaitMs = 30_000
