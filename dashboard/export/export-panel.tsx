import { useEffect } from 'preact/hooks'

import { requestedExports } from '../app/export-jobs.ts'
import { useMessages } from '../app/lazy-messages.tsx'
import { ErrorMessage } from '../components/query-result.tsx'
import { formatCount } from '../format/numbers.ts'
import { formatMessage } from '../messages/lookup.ts'
import { exportText } from '../messages/page-texts.ts'
import {
  dismissExport,
  type ExportJob,
  exportJobs,
  recallInterrupted,
  saveExport,
  startExport,
  warnBeforeLeaving,
} from './export-jobs-state.ts'

/** The exports of this document at the lower edge of every page: how far they are, and what became of them. */
export function ExportPanel() {
  const requested = requestedExports.value
  useEffect(() => {
    recallInterrupted()
    addEventListener('beforeunload', warnBeforeLeaving)
    return () => removeEventListener('beforeunload', warnBeforeLeaving)
  }, [])
  useEffect(() => {
    if (requested.length === 0) return
    requestedExports.value = []
    requested.forEach(startExport)
  }, [requested])
  const loading = useMessages(exportText)
  if (loading !== null || exportJobs.value.length === 0) return null
  return (
    <section class="exports" aria-label={exportText.current().label}>
      <ul>
        {exportJobs.value.map((job) => (
          <Job key={job.id} job={job} />
        ))}
      </ul>
    </section>
  )
}

function Job({ job }: { job: ExportJob }) {
  const text = exportText.current()
  const state = job.state.value
  const { rows, atMost, unread, isWaiting } = job.progress.value ?? { rows: 0, atMost: null, unread: 0, isWaiting: false }
  return (
    <li>
      <strong>{job.fileName === '' ? job.title : job.fileName}</strong>
      {state === 'running' && <progress aria-label={job.title} {...(atMost === null ? {} : { max: Math.max(1, atMost), value: rows })} />}
      <p role="status">{statusOf(job)}</p>
      {state === 'running' && !isWaiting && (atMost ?? 0) > directNoticeMin && <small>{text.keepOpen}</small>}
      {state === 'done' && unread > 0 && <small>{formatMessage(text.missing, formatCount(unread))}</small>}
      <ErrorMessage error={job.error.value} />
      <footer>
        {state === 'running' ? (
          <button type="button" onClick={job.stop}>
            {text.stop}
          </button>
        ) : (
          <button type="button" onClick={() => dismissExport(job)}>
            {text.dismiss}
          </button>
        )}
        {state === 'done' && (
          <button type="button" class={job.isSaved.value ? '' : 'main'} onClick={() => saveExport(job)}>
            {text.download}
          </button>
        )}
      </footer>
    </li>
  )

  function statusOf({ isSaved }: ExportJob): string {
    if (state === 'running') {
      if (isWaiting) return text.waiting
      if (rows === 0) return text.beginning
      return atMost === null
        ? formatMessage(text.rows, formatCount(rows))
        : formatMessage(text.rowsOf, formatCount(rows), formatCount(atMost))
    }
    if (state === 'done') return `${formatMessage(text.done, formatCount(rows))}${isSaved.value ? ` · ${text.saved}` : ''}`
    return text[state]
  }
}

/** Above it nobody waits in front of the screen. */
const directNoticeMin = 10_000
