import '../../app/common.ts'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

import { language } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { session } from '../../app/session-state.ts'
import { QueryResult, ErrorMessage } from '../../components/query-result.tsx'
import { Time } from '../../components/values.tsx'
import { download } from '../../format/csv.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { compliancePageText } from '../../messages/page-texts.ts'
import { ConsentsSection } from './consents.tsx'
import { FindingsSection } from './findings.tsx'
import { ResponsibilitiesSection } from './responsibilities.tsx'
import { ScriptsSection } from './scripts.tsx'
import { StatementsSection, type ComplianceData } from './statements.tsx'

/** What the service can show of the merchant's duties: the items of the specification with what it sees of each, and the evidence for an assessor. */
export function CompliancePage() {
  useEffect(openForPrint, [])
  const summary = useQuery('dashboard.compliance.get', {})
  const scripts = useQuery('dashboard.scripts.list', {})
  const checks = useQuery('dashboard.pageCheck.list', {})
  const matrix = useQuery('dashboard.compliance.responsibilities', { locale: language.value })
  const loading = useMessages(compliancePageText)
  if (loading !== null) return loading
  const rest = {
    scripts: scripts.result.value?.scripts ?? null,
    checks: checks.result.value?.checks ?? null,
    responsibilities: matrix.result.value?.rows ?? null,
  }
  return (
    <QueryResult query={summary}>
      {(result) => (
        <CompliancePanels data={{ summary: result, ...rest }}>
          <ErrorMessage error={checks.error.value} onRetry={checks.refetch} />
          <StatementsSection summary={result} {...rest} />
          <FindingsSection findings={result.findings} />
          <ScriptsSection query={scripts} />
          <ConsentsSection consents={result.consents} />
          <ResponsibilitiesSection query={matrix} />
        </CompliancePanels>
      )}
    </QueryResult>
  )
}

function CompliancePanels({ data, children }: { data: ComplianceData; children: ComponentChildren }) {
  const text = compliancePageText.current()
  return (
    <div class="compliance">
      <p class="print-only">
        {session.value?.merchantName} · {session.value?.merchantId} · <Time at={Date.now()} />
      </p>
      <p class="lead">{text.about}</p>
      <div class="actions">
        {parts.map((part) => (
          <button key={part} type="button" onClick={() => scrollToPart(part)}>
            {text.sections[part]}
          </button>
        ))}
        <span class="spacer" />
        <PublishedEvidence />
        <button type="button" onClick={() => print()}>
          {text.print}
        </button>
        <button
          type="button"
          disabled={data.scripts === null || data.checks === null || data.responsibilities === null}
          onClick={() => save(data)}
        >
          {text.saveAll}
        </button>
      </div>
      {children}
    </div>
  )
}

/** What the provider has signed for the merchant's assessor; nothing until it is published. */
function PublishedEvidence() {
  const evidence = useQuery('dashboard.compliance.evidence', {}).result.value?.evidence ?? null
  if (evidence === null) return null
  return (
    <button type="button" onClick={() => download('provider-evidence.json', 'application/json', `${evidence.pack}\n`)}>
      {compliancePageText.current().saveEvidence}
    </button>
  )
}

const parts = ['statements', 'findings', 'scripts', 'consents', 'responsibilities'] as const

/** Opens every `details` element for printing, so that the texts cardholders agree to are on paper too. */
function openForPrint(): () => void {
  const open = (): void => {
    for (const each of document.querySelectorAll<HTMLDetailsElement>('.compliance details')) each.open = true
  }
  addEventListener('beforeprint', open)
  return () => removeEventListener('beforeprint', open)
}

/** Moves the focus to the heading as well, so that a screen reader continues from there. */
function scrollToPart(part: string): void {
  const heading = document.getElementById(part)
  heading?.scrollIntoView()
  heading?.focus()
}

function save({ summary, scripts, checks, responsibilities }: ComplianceData): void {
  const merchant = { id: session.value?.merchantId, name: session.value?.merchantName }
  const all = { merchant, takenAt: new Date().toISOString(), ...summary, pageChecks: checks, scripts, responsibilities }
  download('compliance.json', 'application/json', JSON.stringify(all, null, 2))
}
