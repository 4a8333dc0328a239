import type { Result } from '@tessera/contract/operations'

import { language, messages } from '../../app/language.ts'
import { useObjectTitle } from '../../app/object-title.ts'
import { dashboardPath } from '../../app/router.ts'
import { CopyButton } from '../../components/copy.tsx'
import { DetailList } from '../../components/details.tsx'
import { CardLink, RelatedLinks } from '../../components/links.tsx'
import { QueryResult } from '../../components/query-result.tsx'
import { ReasonText } from '../../components/reason.tsx'
import { Tag, Time, type Tone } from '../../components/values.tsx'
import { formatTime } from '../../format/time.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage, knownLabel } from '../../messages/lookup.ts'
import { verificationPageText } from '../../messages/page-texts.ts'

type Story = Result<'dashboard.verification.get'>

/** One code from its request to its end: whether its SMS arrived, why not, and what to do. */
export function CodeStoryPage({ cardId, id }: { cardId: string; id: string }) {
  const text = verificationPageText.current()
  const query = useQuery('dashboard.verification.get', { cardId, id })
  useObjectTitle(`${text.code} · ${query.result.value?.number ?? cardId.slice(0, 8)}`)
  return (
    <QueryResult query={query}>
      {(story) => (
        <div class="detail">
          <div class="stack">
            <Verdict story={story} />
            <Facts story={story} />
          </div>
          <div class="stack">
            <Steps story={story} />
            <RelatedPanel cardId={story.cardId} />
          </div>
        </div>
      )}
    </QueryResult>
  )
}

/** Did the SMS come, why not, and what to do: in words, before any detail. */
function Verdict({ story }: { story: Story }) {
  const text = verificationPageText.current()
  const { delivery, ending, cause } = story
  const { title, text: explanation } = text.deliveries[delivery]
  const after = messages.value.duration(story.resendWaitMs)
  const advice = cause === null ? knownLabel(text.advice, delivery) : (knownLabel(text.causeAdvice, cause) ?? text.otherAdvice)
  return (
    <section class="panel verdict" aria-labelledby="verdict">
      <h2 id="verdict">{title}</h2>
      <Tag tone={tones[ending]}>{text.endings[ending]}</Tag>
      {cause !== null && (
        <p>
          <ReasonText reason={cause} of="code" isPlain />
        </p>
      )}
      <p>{formatMessage(explanation, story.smsDays)}</p>
      {ending !== 'verified' && advice !== undefined && (
        <>
          <h3>{text.whatToDo}</h3>
          <p>{formatMessage(advice, after)}</p>
        </>
      )}
      {ending !== 'not_sent' && <p>{endingText(story, ending)}</p>}
    </section>
  )
}

function endingText({ requestedAt, lifetimeMs }: Story, ending: Exclude<Story['ending'], 'not_sent'>): string {
  const text = verificationPageText.current()
  const until = formatTime(requestedAt + lifetimeMs, language.value)
  return formatMessage(text.endingTexts[ending], until, messages.value.duration(lifetimeMs))
}

function Facts({ story }: { story: Story }) {
  const text = verificationPageText.current()
  const { cardId, number, phone, requestedAt, requestId, messageId } = story
  return (
    <section class="panel">
      <h2>{text.details}</h2>
      <DetailList
        details={[
          [text.card, <CardLink cardId={cardId} number={number ?? ''} />],
          [text.phone, phone],
          [text.requestedAt, <Time at={requestedAt} />],
          [text.request, <a href={dashboardPath(`requests/${requestId}`)}>{requestId}</a>],
          [text.messageId, messageId === null ? null : <CopyButton text={messageId} />],
        ]}
      />
    </section>
  )
}

function Steps({ story: { steps, cardId } }: { story: Story }) {
  const text = verificationPageText.current()
  return (
    <section class="panel">
      <h2>{text.steps}</h2>
      <ol class="timeline">
        {steps.map(({ at, what, cause, gateway, requestId }, index) => (
          <li key={index}>
            <strong>{text.stepNames[what]}</strong>
            {cause !== null && (
              <span>
                <ReasonText reason={cause} of="code" isPlain />
              </span>
            )}
            {what === 'replaced' && requestId !== null && (
              <a href={dashboardPath(`verification/${cardId}/${requestId}`)}>{text.nextCode}</a>
            )}
            <small>
              {requestId === null ? (
                <Time at={at} />
              ) : (
                <a href={dashboardPath(`requests/${requestId}`)}>
                  <Time at={at} />
                </a>
              )}
              {gateway === null ? '' : ` · ${formatMessage(text.gateway, gateway)}`}
            </small>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Calls that were rejected before a code was made are not part of any story. */
function RelatedPanel({ cardId }: { cardId: string }) {
  return (
    <section class="panel">
      <h2>{messages.value.related}</h2>
      <p class="related">
        <RelatedLinks kind="cards" id={cardId} />
      </p>
      <small>{verificationPageText.current().rejectedCalls}</small>
    </section>
  )
}

const tones: Readonly<Record<Story['ending'], Tone>> = {
  waiting: 'blue',
  verified: 'green',
  expired: 'amber',
  replaced: 'grey',
  not_sent: 'red',
}
