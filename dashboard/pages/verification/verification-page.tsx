import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { useAsk } from '../../app/ask.ts'
import { call } from '../../app/call.ts'
import { fill } from '../../app/long-words.tsx'
import { pathOf, place } from '../../app/router.ts'
import { session } from '../../app/session-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Range, type Days } from '../../parts/range.tsx'
import { useRows } from '../../parts/rows.ts'
import { Table, type Column } from '../../parts/table.tsx'
import { Tag, type Tone } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { Inbox } from './inbox.tsx'
import { verificationText } from './verification-text.ts'
import './verification.css'

type Attempt = Result<'dashboard.verification.list'>['attempts'][number]

/** Where cardholders are lost, and why: a funnel, each failure with its cause, and the SMS of the test environment. */
export function VerificationPage() {
  const text = verificationText.use()
  if (text === null) return verificationText.show()
  const isInbox = place.value.rest[0] === 'inbox'
  const isTest = session.value?.environment === 'test'
  return (
    <>
      {isTest && (
        <p class="tabs">
          <a href={pathOf('verification')} {...(isInbox ? {} : { 'aria-current': 'true' as const })}>
            {text.attempts}
          </a>
          <a href={pathOf('verification/inbox')} {...(isInbox ? { 'aria-current': 'true' as const } : {})}>
            {text.inbox}
          </a>
        </p>
      )}
      {isInbox && isTest ? <Inbox /> : <Attempts />}
    </>
  )
}

function Attempts() {
  const text = verificationText.now()
  const isFailed = useSignal(false)
  const rows = useRows(String(isFailed.value), async (after) => {
    const { attempts, next } = await call('dashboard.verification.list', { after, failed: isFailed.value })
    return { rows: attempts, next }
  })
  return (
    <>
      <Funnel />
      <div class="tools">
        <label class="check">
          <input type="checkbox" checked={isFailed.value} onChange={() => (isFailed.value = !isFailed.value)} />
          {text.failedOnly}
        </label>
      </div>
      <Table
        label={text.attempts}
        rows={rows}
        columns={columns()}
        keyOf={({ requestId, what, at }) => `${requestId} ${what} ${String(at)}`}
        empty={isFailed.value ? <Empty {...text.noFailures} /> : <Empty {...text.none} />}
      />
    </>
  )
}

function Funnel() {
  const text = verificationText.now()
  const days = useSignal<Days>(7)
  const asked = useAsk('dashboard.verification.funnel', { days: days.value })
  return (
    <section class="panel funnel" aria-labelledby="funnel">
      <header>
        <h2 id="funnel">{text.funnel}</h2>
        <Range days={days.value} onChange={(chosen) => (days.value = chosen)} />
      </header>
      <Answer asked={asked}>
        {(found) => (
          <>
            <ol>
              {stages.map((stage, at) => (
                <li key={stage}>
                  <span>{text.stages[stage]}</span>
                  <strong>
                    {found[stage]} <small>{at === 0 || found.created === 0 ? '' : `${share(found[stage], found.created)} %`}</small>
                  </strong>
                  <meter min={0} max={Math.max(found.created, 1)} value={found[stage]} aria-label={text.stages[stage]} />
                </li>
              ))}
            </ol>
            <small>{found.isWhole ? text.funnelText : fill(text.funnelPart, found.created)}</small>
          </>
        )}
      </Answer>
    </section>
  )
}

const stages = ['created', 'sent', 'verified', 'paid'] as const

function share(part: number, whole: number): number {
  return Math.round((100 * part) / whole)
}

function columns(): Column<Attempt>[] {
  const text = verificationText.now()
  return [
    { name: text.card, show: ({ cardId, number }) => <a href={pathOf(`cards/${cardId}`)}>{number ?? cardId}</a> },
    { name: text.what, show: ({ what }) => <Tag tone={tones[what]}>{text.whats[what]}</Tag> },
    { name: text.cause, show: ({ cause }) => (cause === null ? '—' : <Cause cause={cause} />) },
    { name: text.at, show: ({ at }) => <Time at={at} /> },
  ]
}

function Cause({ cause }: { cause: string }) {
  const text = verificationText.now()
  return (
    <>
      {text.causes[cause] ?? ''} <code>{cause}</code>
    </>
  )
}

const tones: Readonly<Record<Attempt['what'], Tone>> = {
  sent: 'blue',
  not_sent: 'red',
  wrong: 'amber',
  refused: 'red',
  verified: 'green',
}
