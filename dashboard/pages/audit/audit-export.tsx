import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { asRefused } from '../../app/ask.ts'
import { call, type Refused } from '../../app/call.ts'
import { wordsOf } from '../../app/language.ts'
import { download, writeCsv } from '../../parts/download.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { auditWords } from './audit-words.ts'

type Entry = Result<'dashboard.audit.list'>['entries'][number]

/** Collects the list page by page into a file. */
export function AuditExport({ subject }: { subject: string }) {
  const text = wordsOf(auditWords)
  const said = useSignal('')
  const refused = useSignal<Refused | null>(null)
  const isBusy = useSignal(false)
  const collect = async (): Promise<Entry[]> => {
    const all: Entry[] = []
    let after: string | null = null
    do {
      const page: Result<'dashboard.audit.list'> = await call('dashboard.audit.list', {
        after,
        count: 100,
        ...(subject === '' ? {} : { subject }),
      })
      all.push(...page.entries)
      after = page.next
      said.value = text.exporting(all.length)
    } while (after !== null && all.length < entriesMax)
    said.value = after === null ? text.exported(all.length) : text.exportedFirst(all.length)
    return all
  }
  const run = async (write: (entries: readonly Entry[]) => void): Promise<void> => {
    isBusy.value = true
    refused.value = null
    try {
      write(await collect())
    } catch (err) {
      said.value = ''
      refused.value = asRefused(err)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <>
      <div class="tools">
        <button type="button" disabled={isBusy.value} onClick={() => void run(writeAsCsv)}>
          {text.csv}
        </button>
        <button type="button" disabled={isBusy.value} onClick={() => void run(writeAsJson)}>
          {text.json}
        </button>
      </div>
      <p role="status">{said.value}</p>
      <Refusal refused={refused.value} />
    </>
  )
}

function writeAsCsv(entries: readonly Entry[]): void {
  const rows = entries.map((each) => [new Date(each.at).toISOString(), each.actor, each.userId, ...rest(each)])
  download(
    'audit.csv',
    'text/csv;charset=utf-8',
    writeCsv(['at', 'actor', 'userId', 'action', 'subject', 'outcome', 'requestId', 'proof'], rows),
  )
}

function rest({ action, subject, outcome, requestId, proof }: Entry): string[] {
  return [action, subject, outcome, requestId, proof]
}

function writeAsJson(entries: readonly Entry[]): void {
  download('audit.json', 'application/json', JSON.stringify(entries, null, 2))
}

const entriesMax = 10_000
