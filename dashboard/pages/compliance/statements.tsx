import type { ComponentChildren } from 'preact'

import { languages } from '../../app/language.ts'
import { pathOf } from '../../app/router.ts'
import { Copy } from '../../parts/copy.tsx'
import { Tag, type Tone } from '../../parts/tag.tsx'
import { fill } from '../../app/long-words.tsx'
import { complianceText } from './compliance-text.ts'
import type { Told } from './told.ts'

/** Items 3 to 7 of the specification, each with what the service sees of it at this moment. */
export function Statements({ found, scripts, checks }: Told) {
  const text = complianceText.now()
  const inLanguage: Readonly<Record<string, string>> = languages
  const { tokens, consents, settings, provider, disclosures, findings } = found
  const toJudge = scripts?.filter(({ judged, isChanged, isGone }) => !isGone && (judged !== 'authorised' || isChanged)).length ?? 0
  const errors = checks?.reduce((sum, check) => sum + check.errors, 0) ?? 0
  return (
    <section>
      <h2 id="statements" tabIndex={-1}>
        {text.parts.statements}
      </h2>
      <ol class="statements">
        <Statement at={3} {...text.items[3]} {...tag(tokens.changed === 0, text.asWritten, fill(text.changedRows, tokens.changed))}>
          {tokens.looked === 0 ? (
            <p>{text.noTokens}</p>
          ) : (
            <p>
              {fill(text.tokens, tokens.made, tokens.looked)} {fill(text.sealed, tokens.sealed, tokens.emptied)}
            </p>
          )}
        </Statement>
        <Statement at={4} {...text.items[4]} {...tag(findings.length === 0, text.nothingSeen, fill(text.seen, findings.length))}>
          <p>
            {checks === null ? '…' : checks.length === 0 ? text.noChecks : fill(text.checks, checks.length, errors)}{' '}
            <a href={pathOf('page-check')}>{text.toPageCheck}</a>
          </p>
        </Statement>
        <Statement at={5} {...text.items[5]}>
          <List names={['card.token', 'card.number', 'card.expire', 'card.verify', 'card.recurrent']} told={text.may} />
        </Statement>
        <Statement at={6} {...text.items[6]}>
          <List names={['card.number', 'cvv', 'pin', 'code']} told={text.never} isNever />
          <p>{text.refusedHere}</p>
        </Statement>
        <Statement at={7} {...text.items[7]} {...tag(consents.merchant === 0, null, fill(text.asserted, consents.merchant))}>
          <dl>
            <dt>{text.duties.pci}</dt>
            <dd>
              {scripts === null ? '…' : scripts.length === 0 ? text.noScripts : fill(text.scriptsToJudge, toJudge, scripts.length)}{' '}
              {fill(text.passwords, settings.livePasswords)}{' '}
              {settings.origins.length === 0 ? text.noOrigins : fill(text.origins, settings.origins.length)}
            </dd>
            <dt>{text.duties.law}</dt>
            <dd>{text.law}</dd>
            <dt>{text.duties.consent}</dt>
            <dd>{fill(text.consents, consents.form, consents.page, consents.server, consents.merchant)}</dd>
            <dt>{text.duties.disclosure}</dt>
            <dd>
              {fill(text.disclosure, provider.name, disclosures[0]?.version ?? '—')}
              {disclosures.map(({ locale, text: shown, sha256 }) => (
                <details key={locale}>
                  <summary lang={locale}>{inLanguage[locale] ?? locale}</summary>
                  <p lang={locale}>{shown}</p>
                  <p>
                    SHA-256 <Copy text={sha256} />
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
  readonly says: string
  readonly tone?: Tone
  readonly state?: string | null
  readonly children: ComponentChildren
}

function Statement({ at, title, says, tone = 'green', state = null, children }: StatementProps) {
  return (
    <li class="panel" value={at}>
      <header>
        <i aria-hidden="true">{at}</i>
        <h3>{title}</h3>
        {state !== null && <Tag tone={tone}>{state}</Tag>}
      </header>
      <blockquote>{says}</blockquote>
      {children}
    </li>
  )
}

function tag(isFine: boolean, fine: string | null, otherwise: string): { tone: Tone; state: string | null } {
  return isFine ? { tone: 'green', state: fine } : { tone: 'amber', state: otherwise }
}

function List({ names, told, isNever = false }: { names: readonly string[]; told: readonly string[]; isNever?: boolean }) {
  return (
    <ul class={isNever ? 'marks never' : 'marks'}>
      {told.map((each, at) => (
        <li key={each}>
          <span aria-hidden="true">{isNever ? '✕' : '✓'}</span> {each} <code>{names[at]}</code>
        </li>
      ))}
    </ul>
  )
}
