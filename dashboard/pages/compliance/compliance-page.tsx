import '../../app/common.ts'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

import { language, messages } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { usePartTitle } from '../../app/object-title.ts'
import { dashboardPath, route } from '../../app/router.ts'
import { serviceNow, session } from '../../app/session-state.ts'
import { QueryResult, ErrorMessage } from '../../components/query-result.tsx'
import { Time } from '../../components/values.tsx'
import { DownloadButton } from '../../export/download-button.tsx'
import { download } from '../../format/csv.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { compliancePageText } from '../../messages/page-texts.ts'
import { ComplianceChecklist } from './checklist.tsx'
import { ConsentsSection } from './consents.tsx'
import { FindingsSection } from './findings.tsx'
import { ResponsibilitiesSection } from './responsibilities.tsx'
import { ScriptsSection } from './scripts.tsx'
import { StatementsSection, type ComplianceData } from './statements.tsx'

/** What is asked of the merchant, and the evidence for an assessor: each section at an address of its own, and all of them in the report. */
export function CompliancePage() {
  useEffect(openForPrint, [])
  const summary = useQuery('dashboard.compliance.get', {})
  const scripts = useQuery('dashboard.scripts.list', {})
  const checks = useQuery('dashboard.pageCheck.list', {})
  const matrix = useQuery('dashboard.compliance.responsibilities', { locale: language.value })
  const settings = useQuery('dashboard.settings.get', {})
  const part = parts.find((each) => each === route.value.rest[0]) ?? 'checklist'
  const loading = useMessages(compliancePageText)
  usePartTitle(
    compliancePageText.isLoaded.value && part !== 'checklist'
      ? `${messages.value.pages.compliance} · ${compliancePageText.current().sections[part]}`
      : '',
  )
  if (loading !== null) return loading
  const rest = {
    scripts: scripts.result.value?.scripts ?? null,
    checks: checks.result.value?.checks ?? null,
    responsibilities: matrix.result.value?.rows ?? null,
  }
  return (
    <QueryResult query={summary}>
      {(result) => (
        <CompliancePanels part={part} data={{ summary: result, ...rest }}>
          {shows(part, 'checklist', 'card-data') && <ErrorMessage error={checks.error.value} onRetry={checks.refetch} />}
          {part === 'checklist' && <ErrorMessage error={scripts.error.value} onRetry={scripts.refetch} />}
          {shows(part, 'checklist') && (
            <ComplianceChecklist data={{ summary: result, ...rest, settings: settings.result.value, now: serviceNow() }} />
          )}
          {shows(part, 'card-data') && <StatementsSection summary={result} {...rest} />}
          {shows(part, 'findings') && <FindingsSection findings={result.findings} />}
          {shows(part, 'scripts') && <ScriptsSection query={scripts} />}
          {shows(part, 'consents') && <ConsentsSection consents={result.consents} />}
          {shows(part, 'responsibilities') && <ResponsibilitiesSection query={matrix} />}
        </CompliancePanels>
      )}
    </QueryResult>
  )
}

/** Whether a section belongs to what is shown. */
function shows(part: CompliancePart, ...sections: readonly CompliancePart[]): boolean {
  return part === 'report' || sections.includes(part)
}

interface CompliancePanelsProps {
  readonly part: CompliancePart
  readonly data: ComplianceData
  readonly children: ComponentChildren
}

function CompliancePanels({ part, data, children }: CompliancePanelsProps) {
  const text = compliancePageText.current()
  return (
    <div class="compliance">
      <p class="print-only">
        {session.value?.merchantName} · {session.value?.merchantId} · <Time at={Date.now()} />
      </p>
      <p class="tabs" role="group" aria-label={messages.value.pages.compliance}>
        {parts.map((each) => (
          <a
            key={each}
            href={dashboardPath(each === 'checklist' ? 'compliance' : `compliance/${each}`)}
            aria-current={each === part ? 'page' : undefined}
          >
            {text.sections[each]}
          </a>
        ))}
      </p>
      {part === 'checklist' && <p class="lead">{text.about}</p>}
      {part === 'report' && <ReportActions data={data} />}
      {children}
    </div>
  )
}

function ReportActions({ data }: { data: ComplianceData }) {
  const text = compliancePageText.current()
  return (
    <div class="actions">
      <button type="button" class="main" onClick={() => print()}>
        {text.print}
      </button>
      <DownloadButton
        label={text.saveAll}
        list="compliance"
        format="json"
        rows={1}
        isDisabled={data.scripts === null || data.checks === null || data.responsibilities === null}
        onSave={() => save(data)}
      />
      <PublishedEvidence />
    </div>
  )
}

/** Each at /dashboard/compliance/<part>; the report has all of them. */
const parts = ['checklist', 'card-data', 'findings', 'scripts', 'consents', 'responsibilities', 'report'] as const

type CompliancePart = (typeof parts)[number]

/** What the provider has signed for the merchant's assessor; nothing until it is published. */
function PublishedEvidence() {
  const evidence = useQuery('dashboard.compliance.evidence', {}).result.value?.evidence ?? null
  if (evidence === null) return null
  return (
    <DownloadButton
      label={compliancePageText.current().saveEvidence}
      list="evidence"
      format="json"
      rows={1}
      onSave={() => download('provider-evidence.json', 'application/json', `${evidence.pack}\n`)}
    />
  )
}

/** Opens every `details` element for printing, so that the texts cardholders agree to are on paper too. */
function openForPrint(): () => void {
  const open = (): void => {
    for (const each of document.querySelectorAll<HTMLDetailsElement>('.compliance details')) each.open = true
  }
  addEventListener('beforeprint', open)
  return () => removeEventListener('beforeprint', open)
}

function save({ summary, scripts, checks, responsibilities }: ComplianceData): void {
  const merchant = { id: session.value?.merchantId, name: session.value?.merchantName }
  const all = { merchant, takenAt: new Date().toISOString(), ...summary, pageChecks: checks, scripts, responsibilities }
  download('compliance.json', 'application/json', JSON.stringify(all, null, 2))
}
