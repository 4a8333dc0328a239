import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { pathOf } from '../../app/router.ts'
import { collectPages } from '../../parts/all-pages.ts'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { downloadCsv, momentOf } from '../../parts/download.ts'
import { Empty } from '../../parts/empty.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { useRows } from '../../parts/rows.ts'
import { Table } from '../../parts/table.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { fill } from '../../app/long-words.tsx'
import { complianceText } from './compliance-text.ts'

type Page = Result<'dashboard.consents.list'>
type Text = Page['texts'][number]
type Consent = Page['consents'][number] & { readonly text: string | null }

/** What cardholders agreed to, newest first, each with its very words; and all of it as a file. */
export function Consents({ ways }: { ways: Result<'dashboard.compliance.get'>['consents'] }) {
  const text = complianceText.now()
  const shown = useSignal<Consent | null>(null)
  const rows = useRows('', async (after) => {
    const page = await call('dashboard.consents.list', { after })
    return { rows: withTexts(page), next: page.next }
  })
  return (
    <section>
      <h2 id="consents" tabIndex={-1}>
        {text.parts.consents}
      </h2>
      <p>{text.consentsAbout}</p>
      {ways.merchant > 0 && <p>{text.assertedAbout}</p>}
      <Table
        label={text.parts.consents}
        rows={rows}
        keyOf={({ cardId }) => cardId}
        empty={<Empty {...text.noConsents} />}
        columns={[
          {
            name: text.card,
            show: ({ cardId, number }) => (
              <a href={pathOf(`cards/${cardId}`)} class="mask">
                {number}
              </a>
            ),
          },
          { name: text.payer, show: ({ customer }) => customer ?? '—', isMinor: true },
          { name: text.by, show: ({ by, isTrue }) => <By by={by} isTrue={isTrue} /> },
          { name: text.agreed, show: ({ agreedAt, receivedAt }) => <Time at={agreedAt ?? receivedAt} /> },
          {
            name: text.words,
            show: (consent) =>
              consent.text === null ? (
                text.noWords
              ) : (
                <button type="button" class="copy" onClick={() => (shown.value = consent)}>
                  {consent.version} · {consent.locale} <span class="unseen">{consent.number}</span>
                </button>
              ),
          },
        ]}
      />
      <Export />
      {shown.value !== null && (
        <Dialog title={text.words} onClose={() => (shown.value = null)}>
          <p lang={shown.value.locale ?? ''}>{shown.value.text}</p>
          <p>
            SHA-256 <Copy text={shown.value.sha256 ?? ''} />
          </p>
        </Dialog>
      )}
    </section>
  )
}

function By({ by, isTrue }: Pick<Consent, 'by' | 'isTrue'>) {
  const text = complianceText.now()
  return (
    <>
      <Tag tone={by === 'form' ? 'green' : by === 'merchant' || by === 'unknown' ? 'amber' : 'blue'}>{text.ways[by]}</Tag>{' '}
      {!isTrue && <Tag tone="red">{text.notTrue}</Tag>}
    </>
  )
}

function withTexts({ consents, texts }: Page): Consent[] {
  const isOf = ({ version, locale, sha256 }: Consent | Page['consents'][number], of: Text): boolean =>
    version === of.version && locale === of.locale && sha256 === of.sha256
  return consents.map((consent) => ({ ...consent, text: texts.find((of) => isOf(consent, of))?.text ?? null }))
}

/** All of them, page by page, with the words that were agreed to. */
function Export() {
  const text = complianceText.now()
  const said = useSignal('')
  const { isBusy, refused, run } = useDeed()
  const save = async (): Promise<void> => {
    said.value = ''
    const { all, isWhole } = await collectPages(async (after) => {
      const page = await call('dashboard.consents.list', { after, count: 200 })
      return { rows: withTexts(page), next: page.next }
    }, consentsMax)
    said.value = fill(isWhole ? text.exported : text.exportedFirst, all.length)
    downloadCsv('consents.csv', head, all.map(cellsOf))
  }
  return (
    <>
      <p class="deeds">
        <button type="button" disabled={isBusy.value} onClick={() => void run(save)}>
          {text.consentsCsv}
        </button>
      </p>
      <p role="status">{said.value}</p>
      <Refusal refused={refused.value} />
    </>
  )
}

const head = [
  ...['cardId', 'customer', 'number', 'cardState', 'by', 'receivedAt', 'agreedAt'],
  ...['version', 'locale', 'sha256', 'text', 'endedAt', 'isTrue'],
]

function cellsOf(one: Consent): (string | null)[] {
  return [
    ...[one.cardId, one.customer, one.number, one.cardState, one.by, momentOf(one.receivedAt), momentOf(one.agreedAt)],
    ...[one.version, one.locale, one.sha256, one.text, momentOf(one.endedAt), String(one.isTrue)],
  ]
}

const consentsMax = 10_000
