import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { call } from '../../app/call.ts'
import { wordsOf } from '../../app/language.ts'
import { go, pathOf, place } from '../../app/router.ts'
import { Empty } from '../../parts/empty.tsx'
import { Field } from '../../parts/field.tsx'
import { useRows } from '../../parts/rows.ts'
import { Table, type Column } from '../../parts/table.tsx'
import { Time } from '../../parts/time.tsx'
import { useTyped } from '../../parts/typed.ts'
import { AuditExport } from './audit-export.tsx'
import { actorName } from '../../words/actor-names.ts'
import { auditLabel } from '../../words/audit-labels.ts'
import { auditWords } from './audit-words.ts'

type Entry = Result<'dashboard.audit.list'>['entries'][number]

/** Who did what, newest first; of one id all that was done to it. */
export function AuditPage() {
  const text = wordsOf(auditWords)
  const subject = place.value.query.get('subject') ?? ''
  const typed = useTyped(subject)
  const wrong = useSignal('')
  const rows = useRows(subject, async (after) => {
    const { entries, next } = await call('dashboard.audit.list', subject === '' ? { after } : { after, subject })
    return { rows: entries, next }
  })
  const show = (): void => {
    const wanted = typed.value.trim()
    if (wanted === '') go('audit')
    else if (/^[0-9a-f]{24}$/.test(wanted)) go(`audit?subject=${wanted}`)
    else wrong.value = wanted
  }
  return (
    <>
      <p>{text.about}</p>
      <form
        class="tools"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          show()
        }}
      >
        <Field
          {...{ label: text.subject, type: 'search', value: typed.value, hint: text.subjectHint, maxLength: 64 }}
          onInput={(value) => (typed.value = value)}
        />
        <button type="submit">{text.show}</button>
      </form>
      <p role="alert">{wrong.value !== '' && wrong.value === typed.value.trim() ? text.notAnId : ''}</p>
      <Table
        label={text.label}
        rows={rows}
        columns={columns()}
        keyOf={({ proof }) => proof}
        empty={<Empty {...(subject === '' ? text.none : text.noneOfOne)} />}
      />
      <AuditExport subject={subject} />
    </>
  )
}

function columns(): Column<Entry>[] {
  const text = wordsOf(auditWords)
  return [
    {
      name: text.what,
      show: ({ action }) => (
        <>
          {auditLabel(action)} <code class="minor">{action}</code>
        </>
      ),
    },
    { name: text.who, show: ({ actor, phone }) => (phone === null ? actorName(actor) : `+${phone}`) },
    { name: text.at, show: ({ at }) => <Time at={at} /> },
    {
      name: text.on,
      show: ({ subject }) =>
        /^[0-9a-f]{24}$/.test(subject) ? <a href={pathOf(`audit?subject=${subject}`)}>{subject.slice(0, 8)}…</a> : subject,
    },
    { name: text.outcome, show: ({ outcome }) => outcome, isMinor: true },
  ]
}
