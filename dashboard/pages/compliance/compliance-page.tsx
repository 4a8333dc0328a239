import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'

import { useAsk } from '../../app/ask.ts'
import { language } from '../../app/language.ts'
import { session } from '../../app/session-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { download } from '../../parts/download.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Time } from '../../parts/time.tsx'
import { complianceText } from './compliance-text.ts'
import { Consents } from './consents.tsx'
import { Findings } from './findings.tsx'
import { Responsibilities } from './responsibilities.tsx'
import { Scripts } from './scripts.tsx'
import { Statements } from './statements.tsx'
import type { Told } from './told.ts'
import './compliance.css'

/** What the service can show of the merchant's part: the specification's words with facts beside them, and what to take to an assessor. */
export function CompliancePage() {
  const text = complianceText.use()
  useEffect(openForPrint, [])
  const told = useAsk('dashboard.compliance.get', {})
  const scripts = useAsk('dashboard.scripts.list', {})
  const checks = useAsk('dashboard.pageCheck.list', {})
  const matrix = useAsk('dashboard.compliance.responsibilities', { locale: language.value })
  if (text === null) return complianceText.show()
  const rest = {
    ...{ scripts: scripts.result.value?.scripts ?? null, checks: checks.result.value?.checks ?? null },
    rows: matrix.result.value?.rows ?? null,
  }
  return (
    <Answer asked={told}>
      {(found) => (
        <Shown all={{ found, ...rest }}>
          <Refusal refused={checks.refused.value} onAgain={checks.again} />
          <Statements found={found} {...rest} />
          <Findings findings={found.findings} />
          <Scripts asked={scripts} />
          <Consents ways={found.consents} />
          <Responsibilities asked={matrix} />
        </Shown>
      )}
    </Answer>
  )
}

function Shown({ all, children }: { all: Told; children: ComponentChildren }) {
  const text = complianceText.now()
  return (
    <div class="compliance">
      <p class="printed">
        {session.value?.merchantName} · {session.value?.merchantId} · <Time at={Date.now()} />
      </p>
      <p class="lead">{text.about}</p>
      <div class="deeds">
        {parts.map((part) => (
          <button key={part} type="button" onClick={() => jump(part)}>
            {text.parts[part]}
          </button>
        ))}
        <span class="apart" />
        <button type="button" onClick={() => print()}>
          {text.print}
        </button>
        <button type="button" disabled={all.scripts === null || all.checks === null || all.rows === null} onClick={() => save(all)}>
          {text.saveAll}
        </button>
      </div>
      {children}
    </div>
  )
}

const parts = ['statements', 'findings', 'scripts', 'consents', 'responsibilities'] as const

/** On paper nothing is closed: the texts that cardholders agree to are there. */
function openForPrint(): () => void {
  const open = (): void => {
    for (const each of document.querySelectorAll<HTMLDetailsElement>('.compliance details')) each.open = true
  }
  addEventListener('beforeprint', open)
  return () => removeEventListener('beforeprint', open)
}

/** The headings take the focus, so that a screen reader goes on from there. */
function jump(part: string): void {
  const heading = document.getElementById(part)
  heading?.scrollIntoView()
  heading?.focus()
}

function save({ found, scripts, checks, rows }: Told): void {
  const merchant = { id: session.value?.merchantId, name: session.value?.merchantName }
  const all = { merchant, takenAt: new Date().toISOString(), ...found, pageChecks: checks, scripts, responsibilities: rows }
  download('compliance.json', 'application/json', JSON.stringify(all, null, 2))
}
