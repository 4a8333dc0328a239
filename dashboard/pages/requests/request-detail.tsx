import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { useAsk } from '../../app/ask.ts'
import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { words, wordsOf } from '../../app/language.ts'
import { pathOf } from '../../app/router.ts'
import { may, session } from '../../app/session-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { Copy } from '../../parts/copy.tsx'
import { FactList } from '../../parts/fact-list.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import { Time, writeMs } from '../../parts/time.tsx'
import { curlOf } from './curl.ts'
import { Members } from './members.tsx'
import { Outcome } from './outcome.tsx'
import { requestWords } from './request-words.ts'
import './requests.css'

type Found = Result<'dashboard.requests.get'>
type Replayed = Result<'dashboard.requests.replay'>

/** One call: what is kept of what was asked and answered, how to make it again, and in the sandbox a replay beside it. */
export function RequestDetail({ requestId }: { requestId: string }) {
  const text = wordsOf(requestWords)
  const asked = useAsk('dashboard.requests.get', { requestId })
  const replayed = useSignal<Replayed | null>(null)
  return (
    <>
      <p>
        <a href={pathOf('requests')}>← {text.back}</a>
      </p>
      <Answer asked={asked}>
        {(found) => (
          <>
            <div class="columns requests-one">
              <Facts found={found} onReplayed={(answer) => (replayed.value = answer)} />
              <section class="panel">
                <h2>{text.asked}</h2>
                <Members members={found.params} />
                <h2>{text.answered}</h2>
                <Reply {...{ ...found.entry, message: found.message, result: found.result }} told={found.data} />
              </section>
              {replayed.value !== null && <Again replayed={replayed.value} />}
            </div>
            {found.entry.method !== null && <Snippet label="curl" text={curlOf(found, session.value?.merchantId ?? '', location.origin)} />}
          </>
        )}
      </Answer>
    </>
  )
}

function Facts({ found, onReplayed }: { found: Found; onReplayed: (answer: Replayed) => void }) {
  const text = wordsOf(requestWords)
  const { requestId, at, method, profile, ms, caller, cardId, code, reason } = found.entry
  const facts = [
    [text.id, <Copy text={requestId} />],
    [text.at, <Time at={at} />],
    [text.caller, text.callers[caller]],
    [text.profile, profile === 'spec' ? '/api/<method>' : '/api'],
    [words.value.ms, String(Math.round(ms))],
    [text.bytes, String(found.bytes)],
    [text.card, cardId === '' ? null : <a href={pathOf(`cards/${cardId}`)}>{cardId}</a>],
  ] as const
  return (
    <section class="panel wide">
      <h2>
        <code>{method ?? text.noMethod}</code>
      </h2>
      <p>
        <Outcome code={code} reason={reason} />
      </p>
      {code !== 0 && (
        <p class="hint">
          {found.message} {found.hint} <code>docs/reference/errors.md#{reason}</code>
        </p>
      )}
      <FactList facts={facts} />
      {found.replayable && may('developer') && <Replay requestId={requestId} onReplayed={onReplayed} />}
    </section>
  )
}

function Replay({ requestId, onReplayed }: { requestId: string; onReplayed: (answer: Replayed) => void }) {
  const text = wordsOf(requestWords)
  const { isBusy, refused, run } = useDeed()
  const replay = async (): Promise<void> => onReplayed(await call('dashboard.requests.replay', { requestId }))
  return (
    <>
      <button type="button" class="main" disabled={isBusy.value} onClick={() => void run(replay)}>
        {text.replay}
      </button>
      <p>
        <small>{text.replayText}</small>
      </p>
      <Refusal refused={refused.value} />
    </>
  )
}

function Again({ replayed: { steps, answer } }: { replayed: Replayed }) {
  const text = wordsOf(requestWords)
  return (
    <section class="panel" aria-live="polite">
      <h2>{text.again}</h2>
      {steps.length > 0 && (
        <ol class="timeline">
          {steps.map(({ method, code, reason }) => (
            <li key={method}>
              <code>{method}</code> <Outcome code={code} reason={reason} />
            </li>
          ))}
        </ol>
      )}
      {answer === null ? (
        <p>{text.stepRefused}</p>
      ) : (
        <>
          <Members members={answer.params} />
          <h2>{text.answered}</h2>
          <Reply {...answer} told="" />
        </>
      )}
    </section>
  )
}

interface ReplyProps {
  readonly code: number
  readonly reason: string
  readonly message: string
  readonly ms: number
  readonly told: string
  readonly result: Found['result']
}

function Reply({ code, reason, message, ms, told, result }: ReplyProps) {
  return (
    <>
      <p>
        <Outcome code={code} reason={reason} /> {told !== '' && <code>{told}</code>} <small>{writeMs(ms)}</small>
      </p>
      {code === 0 ? <Members members={result} /> : <p>{message}</p>}
    </>
  )
}
