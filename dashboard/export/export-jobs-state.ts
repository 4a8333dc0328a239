import { effect, type Signal, signal } from '@preact/signals'
import { tashkentDay } from '@tessera/contract/calendar-day'

import { type DashboardCallError, toCallError } from '../app/api.ts'
import { type ExportRequest, interruptedExportsKey } from '../app/export-jobs.ts'
import { hasSessionExpired, serviceNow, session } from '../app/session-state.ts'
import { saveBlob } from '../format/csv.ts'
import { writeExportFile } from './export-file.ts'
import { type ExportEnd, recordExport } from './export-record.ts'
import { type ExportProgress, openExportRows, readExport } from './export-run.ts'

export type ExportState = 'running' | 'done' | 'stopped' | 'failed' | 'interrupted' | 'signedOut'

/** An export of this document: running, ended, or of the document before. */
export interface ExportJob {
  readonly id: number
  readonly title: string
  readonly fileName: string
  readonly state: Signal<ExportState>
  readonly progress: Signal<ExportProgress | null>
  readonly error: Signal<DashboardCallError | null>
  /** Until it is dismissed. Null before it is complete. */
  readonly file: Signal<Blob | null>
  /** Whether the browser was given the file. */
  readonly isSaved: Signal<boolean>
  stop(): void
}

export const exportJobs = signal<readonly ExportJob[]>([])

/** Begins to write a file. One of at most 10,000 rows is saved at once; a larger one waits for its button, since people do something else meanwhile. */
export function startExport({ source, format }: ExportRequest): void {
  const controller = new AbortController()
  const job: ExportJob = {
    id: ++lastId,
    title: source.title,
    fileName: `${source.name}-${tashkentDay(serviceNow())}.${format}`,
    state: signal('running'),
    progress: signal(null),
    error: signal(null),
    file: signal(null),
    isSaved: signal(false),
    stop: () => controller.abort(),
  }
  exportJobs.value = [...exportJobs.value.filter(({ state }) => state.peek() !== 'interrupted'), job]
  rememberRunning()
  const pages = readExport(source, {
    signal: controller.signal,
    onProgress: (progress) => void (job.progress.value = progress),
    wait: (ms) => waitFor(ms, controller.signal),
    isTemporary,
  })
  let recordEnd: ((end: ExportEnd) => Promise<void>) | null = null
  const write = async (): Promise<void> => {
    recordEnd = await recordExport({ list: source.list, format, conditions: [...source.conditions] })
    const file = await writeExportFile(await openExportRows(pages), format, source.title)
    controller.signal.throwIfAborted()
    job.file.value = file
    job.state.value = 'done'
    if ((job.progress.value?.rows ?? 0) > directRowsMax) return
    saveExport(job)
    // The browser's own list has it from here on.
    setTimeout(() => dismissExport(job), savedNoticeMs)
  }
  write()
    .catch((err: unknown) => {
      if (job.state.peek() === 'signedOut') return
      if (!controller.signal.aborted) job.error.value = toCallError(err)
      job.state.value = controller.signal.aborted ? 'stopped' : 'failed'
    })
    .finally(() => {
      rememberRunning()
      const outcome = endOf[job.state.peek()]
      if (outcome !== undefined) void recordEnd?.({ outcome, rows: job.progress.peek()?.rows ?? 0 })
    })
}

export function saveExport(job: ExportJob): void {
  if (job.file.value === null) return
  saveBlob(job.fileName, job.file.value)
  job.isSaved.value = true
}

export function dismissExport(job: ExportJob): void {
  job.stop()
  exportJobs.value = exportJobs.value.filter((each) => each !== job)
}

/** Nobody is signed in any more: what was read is forgotten. After a session that ended by itself, the list says that its files are not complete. */
export function endExports(hasExpired: boolean): void {
  for (const job of exportJobs.value) {
    if (job.state.peek() === 'running') job.state.value = 'signedOut'
    job.stop()
    job.file.value = null
  }
  exportJobs.value = hasExpired ? exportJobs.value.filter(({ state }) => state.peek() === 'signedOut') : []
}

/** Exports that a reload of the document has ended. They are named once. */
export function recallInterrupted(): void {
  const stored = sessionStorage.getItem(interruptedExportsKey)
  if (stored === null) return
  sessionStorage.removeItem(interruptedExportsKey)
  const titles = (JSON.parse(stored) as unknown[]).map(String)
  const jobs = titles.map((title): ExportJob => {
    const nothing = { progress: signal(null), error: signal(null), file: signal(null), isSaved: signal(false), stop: () => undefined }
    return { id: ++lastId, title, fileName: '', state: signal<ExportState>('interrupted'), ...nothing }
  })
  exportJobs.value = [...jobs, ...exportJobs.value]
}

/** Asks before a document is left whose files are not complete, or not saved. */
export function warnBeforeLeaving(event: BeforeUnloadEvent): void {
  const isOpen = ({ state, file, isSaved }: ExportJob): boolean => state.peek() === 'running' || (file.peek() !== null && !isSaved.peek())
  if (exportJobs.peek().some(isOpen)) event.preventDefault()
}

effect(() => {
  if (session.value === null || hasSessionExpired.value) endExports(hasSessionExpired.value)
})

function rememberRunning(): void {
  const titles = exportJobs.peek().filter(({ state }) => state.peek() === 'running')
  if (titles.length === 0) sessionStorage.removeItem(interruptedExportsKey)
  else sessionStorage.setItem(interruptedExportsKey, JSON.stringify(titles.map(({ title }) => title)))
}

/** No response, or one that says to come back later. */
function isTemporary(err: unknown): boolean {
  const { body } = toCallError(err)
  return body.reason === 'no_connection' || body.retry_after !== undefined
}

function waitFor(ms: number, stopped: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    stopped.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(stopped.reason instanceof Error ? stopped.reason : new Error('stopped'))
    })
  })
}

const endOf: Readonly<Partial<Record<ExportState, ExportEnd['outcome']>>> = { done: 'done', stopped: 'cancelled', failed: 'broken' }
let lastId = 0
const savedNoticeMs = 5000
const directRowsMax = 10_000
