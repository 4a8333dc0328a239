import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { dashboardPath } from '../../app/router.ts'
import { CopyButton } from '../../components/copy.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CustomerLink } from '../../components/links.tsx'
import { EmptyState, ErrorMessage } from '../../components/query-result.tsx'
import { DataTable } from '../../components/table.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { recordExport } from '../../export/export-record.ts'
import { downloadCsv, toIsoTime } from '../../format/csv.ts'
import { useAction } from '../../hooks/use-action.ts'
import { collectPages } from '../../hooks/list-pages.ts'
import { usePagedList } from '../../hooks/use-paged-list.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { compliancePageText } from '../../messages/page-texts.ts'

type ConsentPage = Result<'dashboard.consents.list'>
type ConsentText = ConsentPage['texts'][number]
type Consent = ConsentPage['consents'][number] & { readonly text: string | null }

/** What cardholders agreed to, newest first, each with the exact text, and an export of all of it. */
export function ConsentsSection({ consents }: { consents: Result<'dashboard.compliance.get'>['consents'] }) {
  const text = compliancePageText.current()
  const opened = useSignal<Consent | null>(null)
  const list = usePagedList('consents', async (after) => {
    const page = await call('dashboard.consents.list', { after })
    return { rows: withTexts(page), next: page.next }
  })
  return (
    <section>
      <h2>{text.sections.consents}</h2>
      <p>{text.consentsAbout}</p>
      {consents.merchant > 0 && <p>{text.assertedAbout}</p>}
      <DataTable
        label={text.sections.consents}
        list={list}
        keyOf={({ cardId }) => cardId}
        empty={<EmptyState {...text.noConsents} />}
        columns={[
          {
            name: text.card,
            render: ({ cardId, number }) => (
              <a href={dashboardPath(`cards/${cardId}`)} class="mask">
                {number}
              </a>
            ),
          },
          { name: text.payer, render: ({ customer }) => <CustomerLink customer={customer} />, isMinor: true },
          { name: text.source, render: ({ by, hasValidMac }) => <ConsentSource by={by} hasValidMac={hasValidMac} /> },
          { name: text.agreed, render: ({ agreedAt, receivedAt }) => <Time at={agreedAt ?? receivedAt} isShort hasSeconds /> },
          {
            name: text.consentText,
            render: (consent) =>
              consent.text === null ? (
                text.noConsentText
              ) : (
                <button type="button" class="copy" onClick={() => (opened.value = consent)}>
                  {consent.version} · {consent.locale} <span class="visually-hidden">{consent.number}</span>
                </button>
              ),
          },
        ]}
      />
      <ExportButton />
      {opened.value !== null && (
        <Dialog title={text.consentText} onClose={() => (opened.value = null)}>
          <p lang={opened.value.locale ?? ''}>{opened.value.text}</p>
          <p>
            SHA-256 <CopyButton text={opened.value.sha256 ?? ''} />
          </p>
        </Dialog>
      )}
    </section>
  )
}

function ConsentSource({ by, hasValidMac }: Pick<Consent, 'by' | 'hasValidMac'>) {
  const text = compliancePageText.current()
  return (
    <>
      <Tag tone={by === 'form' ? 'green' : by === 'merchant' || by === 'unknown' ? 'amber' : 'blue'}>{text.sources[by]}</Tag>{' '}
      {!hasValidMac && <Tag tone="red">{text.modified}</Tag>}
    </>
  )
}

function withTexts({ consents, texts }: ConsentPage): Consent[] {
  const isOf = ({ version, locale, sha256 }: Consent | ConsentPage['consents'][number], of: ConsentText): boolean =>
    version === of.version && locale === of.locale && sha256 === of.sha256
  return consents.map((consent) => ({ ...consent, text: texts.find((of) => isOf(consent, of))?.text ?? null }))
}

/** Exports every consent with its text, fetched page by page. */
function ExportButton() {
  const text = compliancePageText.current()
  const status = useSignal('')
  const { isBusy, error, run } = useAction()
  const save = async (): Promise<void> => {
    status.value = ''
    const recordEnd = await recordExport({ list: 'consents', format: 'csv', conditions: [] })
    const { rows, isComplete } = await collectPages(async (after) => {
      const page = await call('dashboard.consents.list', { after, count: 200 })
      return { rows: withTexts(page), next: page.next }
    }, maxConsents)
    status.value = formatMessage(isComplete ? text.exported : text.exportedFirst, rows.length)
    downloadCsv('consents.csv', head, rows.map(toCsvRow))
    await recordEnd({ outcome: 'done', rows: rows.length })
  }
  return (
    <>
      <p class="actions">
        <button type="button" disabled={isBusy.value} onClick={() => void run(save)}>
          {text.consentsCsv}
        </button>
      </p>
      <p role="status">{status.value}</p>
      <ErrorMessage error={error.value} />
    </>
  )
}

const head = [
  'cardId',
  'customer',
  'number',
  'cardState',
  'by',
  'receivedAt',
  'agreedAt',
  'version',
  'locale',
  'sha256',
  'text',
  'endedAt',
  'hasValidMac',
]

function toCsvRow(consent: Consent): (string | null)[] {
  return [
    consent.cardId,
    consent.customer,
    consent.number,
    consent.cardState,
    consent.by,
    toIsoTime(consent.receivedAt),
    toIsoTime(consent.agreedAt),
    consent.version,
    consent.locale,
    consent.sha256,
    consent.text,
    toIsoTime(consent.endedAt),
    String(consent.hasValidMac),
  ]
}

const maxConsents = 10_000
