import '../../app/common.ts'
import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { language, messages } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { shortId, useListTitle } from '../../app/object-title.ts'
import { navigate, dashboardPath, route } from '../../app/router.ts'
import { session } from '../../app/session-state.ts'
import { LabelledControl, SearchForm, SelectField, useSyncedValue } from '../../components/fields.tsx'
import { objectPath, readSubject, StepTime, SubjectLink } from '../../components/links.tsx'
import { EmptyState } from '../../components/query-result.tsx'
import { type TableColumn, DataTable } from '../../components/table.tsx'
import { ShortText, Time } from '../../components/values.tsx'
import { formatSom } from '../../format/numbers.ts'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { actionLabel, changeLabel, changeValue, isOutcomeInAction, outcomeLabel } from '../../messages/audit-labels.ts'
import { labelOf } from '../../messages/lookup.ts'
import { auditLabelText, auditPageText } from '../../messages/page-texts.ts'
import { SavedViews } from '../../views/saved-views.tsx'
import { actionsOfSubjects, auditSubjects } from './audit-actions.ts'
import { AuditExport } from './audit-export.tsx'
import { type AuditFilter, auditPath, parseAuditFilter, toAuditParams } from './audit-filter.ts'

type AuditRow = Result<'dashboard.audit.list'>['entries'][number]
type AuditPerson = Result<'dashboard.audit.list'>['people'][number]

/** What people did, newest first, or everything that was done to one id. */
export function AuditPage() {
  const filter = parseAuditFilter(route.value.query)
  const { subject = '' } = filter
  // As it is in the address, where it may be wrong too.
  const requestedId = route.value.query.get('subject') ?? ''
  const input = useSyncedValue(requestedId)
  const invalidId = useSignal('')
  const people = useSignal<readonly AuditPerson[]>([])
  const list = usePagedList(`audit ${JSON.stringify(filter)}`, async (after) => {
    const { entries, next, people: users } = await call('dashboard.audit.list', { after, ...toAuditParams(filter) })
    if (users.length > 0) people.value = users
    return { rows: entries, next }
  })
  const object = readSubject(route.value.query, subject)
  useListTitle(messages.value.pages.audit, object)
  const loading = useMessages(auditPageText, auditLabelText)
  if (loading !== null) return loading
  const text = auditPageText.current()
  const search = (): void => {
    const id = input.value.trim()
    if (id === '') navigate('audit')
    else if (/^[0-9a-f]{24}$/.test(id)) navigate(`audit?subject=${id}`)
    else invalidId.value = id
  }
  const wrongIds = [invalidId.value, requestedId === subject ? '' : requestedId].filter((id) => id !== '')
  const isInvalid = wrongIds.includes(input.value.trim())
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
      <p role="alert">{isInvalid ? text.invalidId : ''}</p>
      {/* The list below a wrong id would be taken for what was found. */}
      {isInvalid ? (
        <EmptyState {...text.noneForId} next="none" />
      ) : (
        <>
          <SubjectLink subject={object} />
          <SavedViews list="audit" query={route.value.query} />
          {subject === '' && <AuditFilters filter={filter} people={people.value} />}
          <DataTable
            label={text.label}
            list={list}
            columns={columns(filter)}
            keyOf={({ proof }) => proof}
            empty={
              <EmptyState
                {...(subject !== '' ? text.noneForId : Object.keys(filter).length > 0 ? text.noneFound : text.none)}
                next={Object.keys(filter).length > 0 ? 'all' : 'none'}
              />
            }
          />
          <AuditExport filter={filter} />
        </>
      )}
    </>
  )
}

interface AuditFiltersProps {
  readonly filter: AuditFilter
  /** Whose actions can be chosen. */
  readonly people: readonly AuditPerson[]
}

/** Person, kind of action, and days. */
function AuditFilters({ filter, people }: AuditFiltersProps) {
  const text = auditPageText.current()
  const labels = auditLabelText.current()
  const set = (change: AuditFilter): void => navigate(auditPath({ ...filter, ...change }), { replace: true })
  return (
    <div class="tools">
      {(['from', 'to'] as const).map((bound) => (
        <LabelledControl key={bound} label={text[bound]}>
          {(id) => (
            <input id={id} type="date" value={filter[bound] ?? ''} onChange={(event) => set({ [bound]: event.currentTarget.value })} />
          )}
        </LabelledControl>
      ))}
      <SelectField
        label={text.actor}
        value={filter.userId ?? ''}
        onChange={(userId) => set({ userId })}
        options={[['', text.everybody], ...listPeople(people, filter)]}
      />
      <SelectField
        label={text.action}
        value={filter.action ?? ''}
        onChange={(action) => set({ action })}
        options={[['', text.everything], ...listUngrouped(filter)]}
        groups={auditSubjects
          .filter((subject) => subject !== 'sandbox' || session.value?.environment === 'test')
          .map((subject) => [
            messages.value.pages[subject],
            actionsOfSubjects[subject].map((name) => [name, labels.actions[name]] as const),
          ])}
      />
    </div>
  )
}

/** An action that an address names and no subject has, so that the filter says what it filters. */
function listUngrouped({ action = '' }: AuditFilter): (readonly [string, string])[] {
  const isKnown = Object.values(actionsOfSubjects).some((names) => names.some((name) => name === action))
  return action === '' || isKnown ? [] : [[action, labelOf(auditLabelText.current().actions, action)]]
}

/** The users by name. One who was chosen and no longer exists stays among them. */
function listPeople(users: readonly AuditPerson[], { userId: chosen }: AuditFilter): (readonly [string, string])[] {
  const people = new Map(chosen === undefined ? [] : [[chosen, shortId(chosen)]])
  for (const { userId, name, phone } of users) people.set(userId, name === '' ? `+${phone}` : name)
  return [...people].sort(([, one], [, other]) => one.localeCompare(other))
}

function columns(filter: AuditFilter): TableColumn<AuditRow>[] {
  const text = auditPageText.current()
  const labels = auditLabelText.current()
  return [
    {
      name: text.at,
      render: ({ at, requestId, actor }) => (
        <StepTime requestId={requestId} actor={actor}>
          <Time at={at} isShort hasSeconds />
        </StepTime>
      ),
    },
    {
      name: text.actor,
      render: ({ actor, userId, name, phone }) =>
        userId === null || phone === null ? (
          labelOf(labels.actors, actor)
        ) : (
          <a href={dashboardPath(auditPath({ ...filter, subject: '', userId }))} class={name === '' ? 'whole' : ''} title={`+${phone}`}>
            {name === '' ? `+${phone}` : <ShortText text={name} />}
          </a>
        ),
    },
    {
      name: text.action,
      render: ({ action, changes, outcome, actor }) => (
        <>
          <a href={dashboardPath(auditPath({ ...filter, subject: '', action }))} title={`${text.onlyThis}: ${action}`}>
            {actionLabel({ what: action, outcome, actor }, labels)}
          </a>
          {changes.map(({ name, from, to }) => (
            <div key={name} class="below">
              {changeLabel(name, labels)}: {valueOf(name, from)} → <b>{valueOf(name, to)}</b>
            </div>
          ))}
          {/* The outcome of a change repeats what was changed, and that of a sign-in is the id of its session, which tells nobody anything. */}
          {changes.length === 0 && outcome !== '' && !/^[0-9a-f]{24}$/.test(outcome) && !isOutcomeInAction({ what: action, outcome }) && (
            <div class="below">{outcomeLabel(outcome, labels)}</div>
          )}
        </>
      ),
    },
    {
      name: text.object,
      render: ({ subject, subjectUser, action, userId }) => {
        const path = objectPath(action, subject)
        if (subject === userId) return '—'
        if (subjectUser !== null)
          return (
            <a href={dashboardPath(`audit?subject=${subject}`)} title={`+${subjectUser.phone}`}>
              <ShortText text={subjectUser.name === '' ? `+${subjectUser.phone}` : subjectUser.name} />
            </a>
          )
        if (path === 'settings') return <a href={dashboardPath(path)}>{messages.value.pages.settings}</a>
        if (!/^[0-9a-f]{24}$/.test(subject)) return subject
        return (
          <>
            <a href={dashboardPath(path ?? `audit?subject=${subject}`)} class="whole">
              {[objectKind(action), shortId(subject)].join(' ').trim()}
            </a>
            {path !== null && (
              <div class="below">
                <a href={dashboardPath(`audit?subject=${subject}`)}>{text.history}</a>
              </div>
            )}
          </>
        )
      },
      isMinor: true,
    },
    { name: text.address, render: ({ address }) => (address === '' ? '—' : <ShortText text={address} />), isMinor: true },
  ]

  /** Amounts are stored in tiyin, account fields as JSON, of which the names are shown. */
  function valueOf(name: string, value: string | null): string {
    if (name === 'account_fields' && value !== null)
      return [...value.matchAll(/"name":"([^"]+)"/g)].map(([, field]) => field).join(', ') || '—'
    if (name === 'list' && value !== null) return listName(value)
    const isAmount = amountNames.has(name) && /^[0-9]+$/.test(value ?? '')
    return isAmount ? `${formatSom(Number(value), language.value)} ${messages.value.som}` : changeValue(value, labels)
  }
}

/** What the object of an action is, in words. Empty where the page has none. */
function objectKind(action: AuditRow['action']): string {
  const { card, receipt, webhook, user } = auditPageText.current()
  const kinds: Readonly<Record<string, string>> = { card, code: card, consent: card, receipt, webhook, dashboard_user: user }
  return kinds[action.split('.', 1)[0] ?? ''] ?? ''
}

function listName(list: string): string {
  const names: Readonly<Record<string, string>> = { ...messages.value.pages, ...auditPageText.current().lists }
  return names[list] ?? list
}

const amountNames: ReadonlySet<string> = new Set(['min_amount', 'max_amount', 'refund_unconfirmed_max'])
