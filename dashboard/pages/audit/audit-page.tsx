import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { language, localize } from '../../app/language.ts'
import { navigate, dashboardPath, route } from '../../app/router.ts'
import { Field, useSyncedValue } from '../../components/fields.tsx'
import { EmptyState } from '../../components/query-result.tsx'
import { type TableColumn, DataTable } from '../../components/table.tsx'
import { Time } from '../../components/values.tsx'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { actionLabel, actorLabel, outcomeLabel } from '../../messages/audit-labels.ts'
import { auditLabelText } from '../../messages/page-texts.ts'
import { AuditExport } from './audit-export.tsx'
import { auditPageMessages } from './audit-messages.ts'

type AuditRow = Result<'dashboard.audit.list'>['entries'][number]

/** What people did, newest first, or everything that was done to one id. */
export function AuditPage() {
  const isLoaded = auditLabelText.use() !== null
  const text = localize(auditPageMessages)
  const subject = route.value.query.get('subject') ?? ''
  const input = useSyncedValue(subject)
  const invalidId = useSignal('')
  const list = usePagedList(subject, async (after) => {
    const { entries, next } = await call('dashboard.audit.list', subject === '' ? { after } : { after, subject })
    return { rows: entries, next }
  })
  const search = (): void => {
    const id = input.value.trim()
    if (id === '') navigate('audit')
    else if (/^[0-9a-f]{24}$/.test(id)) navigate(`audit?subject=${id}`)
    else invalidId.value = id
  }
  if (!isLoaded) return auditLabelText.placeholder()
  return (
    <>
      <p>{text.about}</p>
      <form
        class="tools"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          search()
        }}
      >
        <Field
          label={text.subject}
          type="search"
          value={input.value}
          hint={text.subjectHint}
          maxLength={64}
          onInput={(value) => (input.value = value)}
        />
        <button type="submit">{text.show}</button>
      </form>
      <p role="alert">{invalidId.value !== '' && invalidId.value === input.value.trim() ? text.notAnId : ''}</p>
      <DataTable
        label={text.label}
        list={list}
        columns={columns()}
        keyOf={({ proof }) => proof}
        empty={<EmptyState {...(subject === '' ? text.none : text.noneOfOne)} />}
      />
      <AuditExport subject={subject} />
    </>
  )
}

function columns(): TableColumn<AuditRow>[] {
  const text = localize(auditPageMessages)
  const labels = auditLabelText.current()
  return [
    {
      name: text.what,
      render: ({ action }) => (
        <>
          {actionLabel(action, labels)} <code class="minor">{action}</code>
        </>
      ),
    },
    { name: text.who, render: ({ actor, phone }) => (phone === null ? actorLabel(actor, language.value) : `+${phone}`) },
    { name: text.at, render: ({ at }) => <Time at={at} /> },
    {
      name: text.on,
      render: ({ subject }) =>
        /^[0-9a-f]{24}$/.test(subject) ? <a href={dashboardPath(`audit?subject=${subject}`)}>{subject.slice(0, 8)}…</a> : subject,
    },
    { name: text.outcome, render: ({ outcome }) => outcomeLabel(outcome, labels), isMinor: true },
  ]
}
