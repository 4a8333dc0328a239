import '../../app/common.ts'
import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { shortId } from '../../app/object-title.ts'
import { navigate, dashboardPath, route } from '../../app/router.ts'
import { SearchForm, useSyncedValue } from '../../components/fields.tsx'
import { objectPath } from '../../components/links.tsx'
import { EmptyState } from '../../components/query-result.tsx'
import { type TableColumn, DataTable } from '../../components/table.tsx'
import { EnglishCode, Time } from '../../components/values.tsx'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { changeLabel, changeValue, outcomeLabel } from '../../messages/audit-labels.ts'
import { labelOf } from '../../messages/lookup.ts'
import { auditLabelText, auditPageText } from '../../messages/page-texts.ts'
import { AuditExport } from './audit-export.tsx'

type AuditRow = Result<'dashboard.audit.list'>['entries'][number]

/** What people did, newest first, or everything that was done to one id. */
export function AuditPage() {
  const subject = route.value.query.get('subject') ?? ''
  const input = useSyncedValue(subject)
  const invalidId = useSignal('')
  const list = usePagedList(`audit ${subject}`, async (after) => {
    const { entries, next } = await call('dashboard.audit.list', subject === '' ? { after } : { after, subject })
    return { rows: entries, next }
  })
  const loading = useMessages(auditPageText, auditLabelText)
  if (loading !== null) return loading
  const text = auditPageText.current()
  const search = (): void => {
    const id = input.value.trim()
    if (id === '') navigate('audit')
    else if (/^[0-9a-f]{24}$/.test(id)) navigate(`audit?subject=${id}`)
    else invalidId.value = id
  }
  return (
    <>
      <p>{text.about}</p>
      <SearchForm
        label={text.idLabel}
        value={input.value}
        hint={text.idHint}
        maxLength={64}
        onInput={(value) => (input.value = value)}
        action={text.show}
        onSearch={search}
      />
      <p role="alert">{invalidId.value !== '' && invalidId.value === input.value.trim() ? text.invalidId : ''}</p>
      <DataTable
        label={text.label}
        list={list}
        columns={columns()}
        keyOf={({ proof }) => proof}
        empty={<EmptyState {...(subject === '' ? text.none : text.noneForId)} />}
      />
      <AuditExport subject={subject} />
    </>
  )
}

function columns(): TableColumn<AuditRow>[] {
  const text = auditPageText.current()
  const labels = auditLabelText.current()
  return [
    {
      name: text.action,
      render: ({ action }) => (
        <>
          {labelOf(labels.actions, action)}{' '}
          <span class="minor">
            <EnglishCode code={action} />
          </span>
        </>
      ),
    },
    {
      name: text.actor,
      render: ({ actor, phone }) => (phone === null ? labelOf(labels.actors, actor) : <span class="whole">{`+${phone}`}</span>),
    },
    { name: text.at, render: ({ at }) => <Time at={at} /> },
    {
      name: text.object,
      render: ({ subject, action }) => {
        const path = objectPath(action, subject)
        if (!/^[0-9a-f]{24}$/.test(subject)) return subject
        return (
          <>
            <a href={dashboardPath(`audit?subject=${subject}`)} class="whole">
              {shortId(subject)}
            </a>{' '}
            {path !== null && <a href={dashboardPath(path)}>{text.open}</a>}
          </>
        )
      },
    },
    {
      name: text.changes,
      render: ({ changes }) =>
        changes.map(({ name, from, to }) => (
          <div key={name}>
            {changeLabel(name, labels)}: {changeValue(from, labels)} → {changeValue(to, labels)}
          </div>
        )),
    },
    { name: text.address, render: ({ address }) => (address === '' ? '—' : address), isMinor: true },
    { name: text.outcome, render: ({ outcome }) => outcomeLabel(outcome, labels), isMinor: true },
  ]
}
