import { type Signal, useSignal } from '@preact/signals'
import type { DayPeriod } from '@tessera/contract/calendar-day'
import type { Params, Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { toExportConditions } from '../../app/export-conditions.ts'
import type { ExportSource } from '../../app/export-jobs.ts'
import { messages } from '../../app/language.ts'
import { type ListSubject, useListTitle } from '../../app/object-title.ts'
import { dashboardPath, navigate, route } from '../../app/router.ts'
import { ExportButtons } from '../../components/export-buttons.tsx'
import { Field, FilterBox, SelectField, useSyncedValue } from '../../components/fields.tsx'
import { CardLink, SubjectLink } from '../../components/links.tsx'
import { exportPageRows, listExport } from '../../components/list-export.ts'
import { EmptyState } from '../../components/query-result.tsx'
import { ReasonText } from '../../components/reason.tsx'
import { type TableColumn, DataTable } from '../../components/table.tsx'
import { Tag, Time, type Tone } from '../../components/values.tsx'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { verificationPageText, reasonText } from '../../messages/page-texts.ts'
import { SavedViews } from '../../views/saved-views.tsx'
import {
  codeOutcomes,
  noVerificationFilter,
  readVerificationFilter,
  toCard,
  toPhone,
  toVerificationParams,
  type VerificationFilter,
  verificationPath,
} from './verification-filter.ts'

type VerificationAttempt = Result<'dashboard.verification.list'>['attempts'][number]

/** The outcomes of the codes of a period, newest first, filtered by the address and, for a phone, by the history entry. Each leads to the story of its code. */
export function CodeList({ period }: { period: DayPeriod }) {
  const text = verificationPageText.current()
  const filter = readVerificationFilter(route.value)
  const params = toVerificationParams(filter, period)
  const isPartial = useSignal(false)
  const hasProblem = useSignal(false)
  const list = usePagedList(`codes ${JSON.stringify(params)}`, async (after) => {
    const { attempts, next, isPartial: partial } = await call('dashboard.verification.list', { ...params, after })
    isPartial.value = partial
    return { rows: attempts, next }
  })
  const subject: ListSubject | null = /^[0-9a-f]{24}$/.test(filter.card) ? { kind: 'cards', id: filter.card } : null
  useListTitle(messages.value.relatedLinks.codes, subject)
  const isFiltered = JSON.stringify(filter) !== JSON.stringify(noVerificationFilter)
  const empty = !isFiltered ? text.none : filter.phone !== '' ? text.nothingForPhone : text.nothingFound
  return (
    <>
      <div class="list-head">
        <h2>{text.attempts}</h2>
        <ExportButtons source={attemptExport(params)} />
      </div>
      <SubjectLink subject={subject} />
      <SavedViews list="verification" query={route.value.query} />
      <Filters filter={filter} isFiltered={isFiltered} hasProblem={hasProblem} />
      {filter.phone !== '' && !hasProblem.value && <p class="note">{text.phoneNote}</p>}
      {isPartial.value && <p role="note">{text.partial}</p>}
      {/* What was found before is no result of what was typed now. */}
      {!hasProblem.value && (
        <DataTable
          label={text.attempts}
          list={list}
          columns={columns()}
          keyOf={({ requestId, what, at }) => `${requestId} ${what} ${String(at)}`}
          empty={<EmptyState {...empty} next={isFiltered ? 'none' : 'start'} />}
        />
      )}
    </>
  )
}

function show(filter: VerificationFilter): void {
  navigate(verificationPath(filter, route.value.query), { hidden: filter.phone === '' ? {} : { phone: filter.phone } })
}

interface FiltersProps {
  readonly filter: VerificationFilter
  readonly isFiltered: boolean
  /** Whether what was searched for is no phone or no card. */
  readonly hasProblem: Signal<boolean>
}

function Filters({ filter, isFiltered, hasProblem }: FiltersProps) {
  const text = verificationPageText.current()
  const typed = useSyncedValue(filter, JSON.stringify(filter))
  const problems = useSignal({ phone: '', card: '' })
  const type = (part: Partial<VerificationFilter>): void => {
    typed.value = { ...typed.value, ...part }
    problems.value = { phone: '', card: '' }
    hasProblem.value = false
  }
  const search = (over: Partial<VerificationFilter> = {}): void => {
    const wanted = { ...typed.value, ...over }
    const [phone, card] = [toPhone(wanted.phone), toCard(wanted.card)]
    problems.value = { phone: phone === null ? text.noPhone : '', card: card === null ? text.noCard : '' }
    hasProblem.value = phone === null || card === null
    if (phone !== null && card !== null) show({ ...wanted, phone, card })
  }
  return (
    <FilterBox label={text.filters} active={Object.values(filter).filter((value) => value !== '').length}>
      <form
        class="tools code-filters"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          search()
        }}
      >
        <Field
          label={text.phone}
          type="search"
          inputMode="tel"
          autocomplete="off"
          value={typed.value.phone}
          onInput={(phone) => type({ phone })}
          problem={problems.value.phone}
          hint={text.phoneHint}
          maxLength={24}
        />
        <Field
          label={text.card}
          type="search"
          autocomplete="off"
          value={typed.value.card}
          onInput={(card) => type({ card })}
          problem={problems.value.card}
          hint={text.cardHint}
          maxLength={64}
        />
        <SelectField
          label={text.outcome}
          value={typed.value.outcome}
          onChange={(chosen) => search({ outcome: codeOutcomes.find((outcome) => outcome === chosen) ?? '' })}
          options={[['', text.all], ...codeOutcomes.map((outcome) => [outcome, text.outcomes[outcome]] as const)]}
        />
        <button type="submit">{text.show}</button>
        {isFiltered && (
          <button type="button" onClick={() => show(noVerificationFilter)}>
            {text.clear}
          </button>
        )}
      </form>
    </FilterBox>
  )
}

function columns(): TableColumn<VerificationAttempt>[] {
  const text = verificationPageText.current()
  return [
    {
      name: text.outcome,
      render: ({ cardId, requestId, what, cause }) => (
        <>
          <a href={dashboardPath(`verification/${cardId}/${requestId}`)}>
            <Tag tone={tones[what]}>{text.outcomes[what]}</Tag>
          </a>
          {cause !== null && (
            <div>
              <ReasonText reason={cause} of="code" isBrief />
            </div>
          )}
        </>
      ),
    },
    { name: text.card, render: ({ cardId, number }) => <CardLink cardId={cardId} number={number ?? ''} /> },
    { name: text.at, render: ({ at }) => <Time at={at} isShort /> },
    {
      name: text.story,
      render: ({ cardId, requestId }) => <a href={dashboardPath(`verification/${cardId}/${requestId}`)}>{text.openStory}</a>,
      isMinor: true,
    },
  ]
}

const tones: Readonly<Record<VerificationAttempt['what'], Tone>> = {
  sent: 'blue',
  not_sent: 'red',
  wrong: 'amber',
  refused: 'red',
  verified: 'green',
}

function attemptExport(params: Params<'dashboard.verification.list'>): ExportSource {
  const text = verificationPageText.current()
  const { code, all } = reasonText.current()
  return listExport<VerificationAttempt>({
    name: 'verification',
    title: text.attempts,
    list: 'verification',
    conditions: toExportConditions(params, ['phone']),
    columns: [
      { name: text.card, value: ({ number, cardId }) => number ?? cardId },
      { name: text.outcome, value: ({ what }) => text.outcomes[what] },
      { name: text.cause, value: ({ cause }) => (cause === null ? null : (code[cause] ?? all[cause] ?? cause)) },
      { name: text.at, kind: 'time', value: ({ at }) => at },
    ],
    fetchPage: async (after) => {
      const { attempts, next } = await call('dashboard.verification.list', { ...params, after, count: exportPageRows })
      return { rows: attempts, next }
    },
  })
}
