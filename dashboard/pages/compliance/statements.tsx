import type { Result } from '@tessera/contract/operations'
import type { ComponentChildren } from 'preact'

import { languageNames } from '../../app/language.ts'
import { dashboardPath } from '../../app/router.ts'
import { CopyButton } from '../../components/copy.tsx'
import { Tag, type Tone } from '../../components/values.tsx'
import { formatMessage } from '../../messages/lookup.ts'
import { compliancePageText } from '../../messages/page-texts.ts'
import type { ScriptEntry } from './script-review.tsx'

/** The data of the page. Null: not loaded yet. */
export interface ComplianceData {
  readonly summary: Result<'dashboard.compliance.get'>
  readonly scripts: readonly ScriptEntry[] | null
  readonly checks: Result<'dashboard.pageCheck.list'>['checks'] | null
  readonly responsibilities: Result<'dashboard.compliance.responsibilities'>['rows'] | null
}

/** Items 3 to 7 of the specification, each with what the service sees of it now. */
export function StatementsSection({ summary, scripts, checks }: Omit<ComplianceData, 'responsibilities'>) {
  const text = compliancePageText.current()
  const nameOfLanguage: Readonly<Record<string, string>> = languageNames
  const { tokens, consents, settings, provider, disclosures, findings } = summary
  const openScripts = scripts?.filter(({ decision, isChanged, isGone }) => !isGone && (decision !== 'authorised' || isChanged)).length ?? 0
  const errors = checks?.reduce((sum, check) => sum + check.errors, 0) ?? 0
  return (
    <section>
      <h2>{text.sections['card-data']}</h2>
      <ol class="statements">
        <Statement
          at={3}
          {...text.items[3]}
          {...statusTag(tokens.changed === 0, text.rowsUnchanged, formatMessage(text.rowsChanged, tokens.changed))}
        >
          {tokens.checked === 0 ? (
            <p>{text.noTokens}</p>
          ) : (
            <p>
              {formatMessage(text.tokens, tokens.created, tokens.checked)} {formatMessage(text.sealed, tokens.sealed, tokens.wiped)}
            </p>
          )}
        </Statement>
        <Statement
          at={4}
          {...text.items[4]}
          {...statusTag(findings.length === 0, text.noneFound, formatMessage(text.found, findings.length))}
        >
          <p>
            {checks === null ? '…' : checks.length === 0 ? text.noChecks : formatMessage(text.pagesChecked, checks.length, errors)}{' '}
            <a href={dashboardPath('page-check')}>{text.toPageCheck}</a>
          </p>
        </Statement>
        <Statement at={5} {...text.items[5]}>
          <MarkList names={['card.token', 'card.number', 'card.expire', 'card.verify', 'card.recurrent']} labels={text.mayStore} />
        </Statement>
        <Statement at={6} {...text.items[6]}>
          <MarkList names={['card.number', 'cvv', 'pin', 'code']} labels={text.neverStore} isNever />
          <p>{text.rejectedData}</p>
        </Statement>
        <Statement at={7} {...text.items[7]} {...statusTag(consents.merchant === 0, null, formatMessage(text.asserted, consents.merchant))}>
          <dl>
            <dt>{text.duties.pci}</dt>
            <dd>
              {scripts === null
                ? '…'
                : scripts.length === 0
                  ? text.noScripts
                  : formatMessage(text.scriptsToReview, openScripts, scripts.length)}{' '}
              {formatMessage(text.passwords, settings.activePasswords)}{' '}
              {settings.origins.length === 0 ? text.noOrigins : formatMessage(text.origins, settings.origins.length)}
            </dd>
            <dt>{text.duties.law}</dt>
            <dd>{text.law}</dd>
            <dt>{text.duties.consent}</dt>
            <dd>{formatMessage(text.consents, consents.form, consents.page, consents.server, consents.merchant)}</dd>
            <dt>{text.duties.disclosure}</dt>
            <dd>
              {formatMessage(text.disclosure, provider.name, disclosures[0]?.version ?? '—')}
              {disclosures.map(({ locale, text: disclosure, sha256 }) => (
                <details key={locale}>
                  <summary lang={locale}>{nameOfLanguage[locale] ?? locale}</summary>
                  <p lang={locale}>{disclosure}</p>
                  <p>
                    SHA-256 <CopyButton text={sha256} />
                  </p>
                </details>
              ))}
            </dd>
          </dl>
        </Statement>
      </ol>
    </section>
  )
}

interface StatementProps {
  readonly at: number
  readonly title: string
  readonly quote: string
  readonly tone?: Tone
  readonly state?: string | null
  readonly children: ComponentChildren
}

function Statement({ at, title, quote, tone = 'green', state = null, children }: StatementProps) {
  return (
    <li class="panel" value={at}>
      <header>
        <i aria-hidden="true">{at}</i>
        <h3>{title}</h3>
        {state !== null && <Tag tone={tone}>{state}</Tag>}
      </header>
      <blockquote>{quote}</blockquote>
      {children}
    </li>
  )
}

function statusTag(isOk: boolean, okText: string | null, problemText: string): { tone: Tone; state: string | null } {
  return isOk ? { tone: 'green', state: okText } : { tone: 'amber', state: problemText }
}

function MarkList({ names, labels, isNever = false }: { names: readonly string[]; labels: readonly string[]; isNever?: boolean }) {
  return (
    <ul class={isNever ? 'marks never' : 'marks'}>
      {labels.map((each, index) => (
        <li key={each}>
          <span aria-hidden="true">{isNever ? '✕' : '✓'}</span> {each} <code>{names[index]}</code>
        </li>
      ))}
    </ul>
  )
}
