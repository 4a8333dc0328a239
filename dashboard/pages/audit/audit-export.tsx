import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { wordsOf } from '../../app/language.ts'
import { collectPages } from '../../parts/all-pages.ts'
import { download, downloadCsv, momentOf } from '../../parts/download.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { auditWords } from './audit-words.ts'

type Entry = Result<'dashboard.audit.list'>['entries'][number]

/** Collects the list page by page into a file. */
export function AuditExport({ subject }: { subject: string }) {
  const text = wordsOf(auditWords)
  const said = useSignal('')
  const { isBusy, refused, run } = useDeed()
  const of = subject === '' ? {} : { subject }
  const collect = async (): Promise<readonly Entry[]> => {
    const { all, isWhole } = await collectPages(
      async (after) => {
        const { entries, next } = await call('dashboard.audit.list', { after, count: 100, ...of })
        return { rows: entries, next }
      },
      entriesMax,
      (count) => (said.value = text.exporting(count)),
    )
    said.value = isWhole ? text.exported(all.length) : text.exportedFirst(all.length)
    return all
  }
  const save = async (write: (entries: readonly Entry[]) => void): Promise<void> => {
    await run(async () => write(await collect()))
    if (refused.value !== null) said.value = ''
  }
  return (
    <>
      <div class="tools">
        <button type="button" disabled={isBusy.value} onClick={() => void save(writeAsCsv)}>
          {text.csv}
        </button>
        <button type="button" disabled={isBusy.value} onClick={() => void save(writeAsJson)}>
          {text.json}
        </button>
      </div>
      <p role="status">{said.value}</p>
      <Refusal refused={refused.value} />
    </>
  )
}

function writeAsCsv(entries: readonly Entry[]): void {
  const rows = entries.map((each) => [momentOf(each.at), each.actor, each.userId, ...rest(each)])
  downloadCsv('audit.csv', ['at', 'actor', 'userId', 'action', 'subject', 'outcome', 'requestId', 'proof'], rows)
}

function rest({ action, subject, outcome, requestId, proof }: Entry): string[] {
  return [action, subject, outcome, requestId, proof]
}

function writeAsJson(entries: readonly Entry[]): void {
  download('audit.json', 'application/json', JSON.stringify(entries, null, 2))
}

const entriesMax = 10_000
