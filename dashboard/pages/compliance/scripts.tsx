import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import type { Asked } from '../../app/ask.ts'
import { pathOf } from '../../app/router.ts'
import { may } from '../../app/session-state.ts'
import { downloadCsv, momentOf } from '../../parts/download.ts'
import { Answer } from '../../parts/answer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Tag, type Tone } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { complianceText } from './compliance-text.ts'
import type { ComplianceWords } from './compliance-words.ts'
import { JudgeScript } from './judge-script.tsx'
import type { Script } from './told.ts'

type List = Result<'dashboard.scripts.list'>

/** The inventory that PCI DSS 6.4.3 asks for: every script that a check found, who authorised it, and why. */
export function Scripts({ asked }: { asked: Asked<List> }) {
  const text = complianceText.now()
  const looked = useSignal<Script | null>(null)
  return (
    <section>
      <h2 id="scripts" tabIndex={-1}>
        {text.parts.scripts}
      </h2>
      <p>{text.scriptsAbout}</p>
      <Answer asked={asked}>
        {({ scripts }) =>
          scripts.length === 0 ? (
            <Empty {...text.emptyScripts}>
              <a href={pathOf('page-check')}>{text.toPageCheck}</a>
            </Empty>
          ) : (
            <>
              <ul class="list panel scripts">
                {scripts.toSorted(openFirst).map((script) => (
                  <Shown key={script.scriptId} script={script} onJudge={() => (looked.value = script)} />
                ))}
              </ul>
              <p class="deeds">
                <button type="button" onClick={() => save(scripts)}>
                  {text.csv}
                </button>
              </p>
            </>
          )
        }
      </Answer>
      {looked.value !== null && <JudgeScript script={looked.value} onClose={() => (looked.value = null)} onDone={asked.again} />}
    </section>
  )
}

function Shown({ script, onJudge }: { script: Script; onJudge: () => void }) {
  const text = complianceText.now()
  const { address, page, party, integrity, reason, judgedBy, judgedAt, firstAt, lastAt } = script
  const { tone, word } = stateOf(script, text)
  return (
    <li>
      <div>
        <code>{address}</code>
        <small>
          {text.onPage} {page === 'pasted' ? text.pasted : page}
        </small>
        <span class="tags">
          <Tag tone={tone}>{word}</Tag>
          <Tag tone="grey">{text.party[party]}</Tag>
          {party === 'third' && integrity === '' && <Tag tone="amber">{text.noIntegrity}</Tag>}
        </span>
        {reason !== '' && (
          <p>
            {reason}
            <small>
              {judgedBy ?? '—'}, {judgedAt !== null && <Time at={judgedAt} />}
            </small>
          </p>
        )}
        <small>
          {text.first}: <Time at={firstAt} /> · {text.last}: <Time at={lastAt} />
        </small>
      </div>
      {may('developer') && (
        <button type="button" onClick={onJudge}>
          {text.judge} <span class="unseen">{address}</span>
        </button>
      )}
    </li>
  )
}

export function stateOf({ judged, isChanged, isGone }: Script, text: ComplianceWords): { tone: Tone; word: string } {
  if (isGone) return { tone: 'grey', word: text.judged.gone }
  if (judged === 'open') return { tone: 'amber', word: text.judged.open }
  if (isChanged) return { tone: 'red', word: text.judged.changed }
  return judged === 'authorised' ? { tone: 'green', word: text.judged.authorised } : { tone: 'red', word: text.judged.refused }
}

function openFirst(a: Script, b: Script): number {
  return rankOf(a) - rankOf(b)
}

function rankOf({ judged, isChanged, isGone }: Script): number {
  if (isGone) return 3
  return judged === 'authorised' && !isChanged ? 2 : judged === 'refused' ? 0 : 1
}

function save(scripts: readonly Script[]): void {
  const head = ['page', 'address', 'party', 'print', 'integrity', 'judged', 'isChanged', 'isGone', 'reason', 'judgedBy', 'judgedAt']
  const rows = scripts.map((one) => [
    ...[one.page, one.address, one.party, one.print, one.integrity, one.judged, String(one.isChanged), String(one.isGone), one.reason],
    ...[one.judgedBy, momentOf(one.judgedAt), momentOf(one.firstAt), momentOf(one.lastAt)],
  ])
  downloadCsv('scripts.csv', [...head, 'firstAt', 'lastAt'], rows)
}
