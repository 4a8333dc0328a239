import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { language, messages } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { formatMs } from '../../format/numbers.ts'
import { shortId, useObjectTitle } from '../../app/object-title.ts'
import { dashboardPath } from '../../app/router.ts'
import { hasRole, session } from '../../app/session-state.ts'
import { CopyButton, Snippet } from '../../components/copy.tsx'
import { DetailList } from '../../components/details.tsx'
import { DocsLink, EnglishCode, MethodLink } from '../../components/docs-link.tsx'
import { docsPath } from '../../components/docs-path.ts'
import { CustomerLink, RelatedLinks } from '../../components/links.tsx'
import { QueryResult, ErrorMessage } from '../../components/query-result.tsx'
import { ReasonText } from '../../components/reason.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { reasonText, requestPageText } from '../../messages/page-texts.ts'
import { receiptOf, textMember } from './request-objects.ts'
import { requestCurl } from './request-curl.ts'

type LoggedRequest = Result<'dashboard.requests.get'>
type ReplayResult = Result<'dashboard.requests.replay'>

/** One call: what is stored of its params and result, a curl line that repeats it, and in the test environment a replay. */
export function RequestDetails({ requestId }: { requestId: string }) {
  const query = useQuery('dashboard.requests.get', { requestId })
  const replayed = useSignal<ReplayResult | null>(null)
  const loading = useMessages(requestPageText, reasonText)
  const name = requestPageText.isLoaded.value ? requestPageText.current().request : ''
  useObjectTitle(`${query.result.value?.entry.method ?? name} ${shortId(requestId)}`)
  if (loading !== null) return loading
  const text = requestPageText.current()
  return (
    <>
      <QueryResult query={query}>
        {(request) => (
          <>
            <div class="detail request">
              <RequestSummary request={request} onReplayed={(result) => (replayed.value = result)} />
              <div class="stack">
                {replayed.value !== null && <ReplaySection replayed={replayed.value} />}
                <section class="panel">
                  <h2>{text.request}</h2>
                  <LoggedMembers members={request.params} />
                </section>
                <section class="panel">
                  <h2>{text.response}</h2>
                  <ResponseBody {...request.entry} ms={null} message={request.message} result={request.result} data={request.data} />
                </section>
              </div>
            </div>
            <RelatedPanel request={request} />
            {request.entry.method !== null && <RequestCurl request={request} />}
          </>
        )}
      </QueryResult>
    </>
  )
}

/** What else there is of the card and the receipt of the call, and the story of its code. */
function RelatedPanel({ request }: { request: LoggedRequest }) {
  const text = requestPageText.current()
  const { cardId, requestId, method, code } = request.entry
  const receiptId = receiptOf(request)
  if (cardId === '' && receiptId === null) return null
  const hasStory = code === 0 && (method === 'cards.get_verify_code' || method === 'cards.verify')
  return (
    <section class="panel requests-one">
      <h2>{messages.value.related}</h2>
      {receiptId !== null && (
        <p class="related">
          <a href={dashboardPath(`receipts/${receiptId}`)}>{text.receipt}</a>
          <RelatedLinks kind="receipts" id={receiptId} />
        </p>
      )}
      {cardId !== '' && (
        <p class="related">
          <a href={dashboardPath(`cards/${cardId}`)}>{text.card}</a>
          <RelatedLinks kind="cards" id={cardId} />
          {hasStory && <a href={dashboardPath(`verification/${cardId}/${requestId}`)}>{text.codeStory}</a>}
        </p>
      )}
    </section>
  )
}

/** In the test environment with the test cards, so that the command needs nothing but a token or the password. */
function RequestCurl({ request }: { request: LoggedRequest }) {
  const { result } = useQuery('dashboard.start.get', {})
  const isTest = session.value?.environment === 'test'
  if (isTest && result.value === null) return null
  const testValues = isTest ? { cards: result.value?.testCards ?? [], code: sandboxCode } : null
  return (
    <Snippet
      label="curl"
      text={requestCurl(request, { merchantId: session.value?.merchantId ?? '', origin: location.origin, testValues })}
    />
  )
}

/** The code of every test card. */
const sandboxCode = '666666'

function RequestSummary({ request, onReplayed }: { request: LoggedRequest; onReplayed: (result: ReplayResult) => void }) {
  const text = requestPageText.current()
  const { requestId, at, method, profile, ms, caller, address, cardId, code, reason } = request.entry
  const receiptId = receiptOf(request)
  const customer = textMember(request.params, 'customer')
  const details = [
    [text.method, method === null ? text.noMethod : <MethodLink method={method} />],
    [text.id, <CopyButton text={requestId} />],
    [text.at, <Time at={at} />],
    [text.caller, text.callers[caller]],
    [text.fields.address, address === null ? null : text.addresses[address]],
    [text.profile, profile === 'spec' ? '/api/<method>' : '/api'],
    [text.duration, formatMs(ms, messages.value.ms)],
    [text.bytes, String(request.bytes)],
    [text.card, cardId === '' ? null : <a href={dashboardPath(`cards/${cardId}`)}>{cardId}</a>],
    [text.receipt, receiptId === null ? null : <a href={dashboardPath(`receipts/${receiptId}`)}>{receiptId}</a>],
    [text.customer, customer === null ? null : <CustomerLink customer={customer} />],
  ] as const
  return (
    <section class="panel">
      <p class="in-words">{code === 0 ? text.succeeded : request.message}</p>
      <OutcomeTag code={code} />
      {code !== 0 && (
        <p class="hint">
          {/* Hints exist in English only. */}
          {language.value === 'en' && <CodeText text={request.hint} />}{' '}
          <DocsLink href={docsPath.reason(reason)}>{language.value === 'en' ? reason : messages.value.docs}</DocsLink>
        </p>
      )}
      <DetailList details={details} />
      {request.replayable && hasRole('developer') && <ReplayButton requestId={requestId} onReplayed={onReplayed} />}
    </section>
  )
}

function ReplayButton({ requestId, onReplayed }: { requestId: string; onReplayed: (result: ReplayResult) => void }) {
  const text = requestPageText.current()
  const { isBusy, error, run } = useAction()
  const replay = async (): Promise<void> => onReplayed(await call('dashboard.requests.replay', { requestId }))
  return (
    <>
      <button type="button" class="main" disabled={isBusy.value} onClick={() => void run(replay)}>
        {text.replay}
      </button>
      <p>
        <small>{text.replayText}</small>
      </p>
      <ErrorMessage error={error.value} />
    </>
  )
}

function ReplaySection({ replayed: { steps, reply } }: { replayed: ReplayResult }) {
  const text = requestPageText.current()
  return (
    <section class="panel" aria-live="polite">
      <h2>{text.replayTitle}</h2>
      {steps.length > 0 && (
        <ol class="timeline">
          {steps.map(({ method, code, reason }) => (
            <li key={method}>
              <MethodLink method={method} /> <RequestOutcome code={code} reason={reason} />
            </li>
          ))}
        </ol>
      )}
      {reply === null ? (
        <p>{text.stepFailed}</p>
      ) : (
        <>
          <LoggedMembers members={reply.params} />
          <h2>{text.response}</h2>
          <ResponseBody {...reply} data="" />
        </>
      )}
    </section>
  )
}

/** A text in which names of the wire stand in backticks, as in the documentation. */
function CodeText({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 0 ? part : <code key={index}>{part}</code>))}</>
}

interface ResponseBodyProps {
  readonly code: number
  readonly reason: string
  readonly message: string
  /** Null where it stands elsewhere on the page. */
  readonly ms: number | null
  readonly data: string
  readonly result: LoggedRequest['result']
}

function ResponseBody({ code, reason, message, ms, data, result }: ResponseBodyProps) {
  return (
    <>
      <p>
        {code === 0 ? '' : message} <OutcomeTag code={code} /> <EnglishCode code={reason} href={docsPath.reason(reason)} />{' '}
        {data !== '' && <code>{data}</code>} {ms !== null && <small>{formatMs(ms, messages.value.ms)}</small>}
      </p>
      {code === 0 && <LoggedMembers members={result} />}
    </>
  )
}

type MemberList = Result<'dashboard.requests.get'>['params']

/** The stored members of params or of a result, and why the others are not stored. */
export function LoggedMembers({ members: { list, more } }: { members: MemberList }) {
  const text = requestPageText.current()
  if (list.length === 0) return <p>—</p>
  return (
    <dl class="members">
      {list.map(({ path, value, hidden, size }, index) => [
        <dt key={`${String(index)} name`}>
          <code>{path}</code>
        </dt>,
        <dd key={String(index)}>
          {hidden === null ? <code>{JSON.stringify(value)}</code> : <em>{formatMessage(text.hidden[hidden] ?? hidden, size)}</em>}
        </dd>,
      ])}
      {more > 0 && <dt>{formatMessage(text.more, more)}</dt>}
    </dl>
  )
}

/** The outcome of a call where its message is not shown: OK, or the error code and its reason. */
export function RequestOutcome({ code, reason }: { code: number; reason: string }) {
  return (
    <>
      <OutcomeTag code={code} /> {code !== 0 && <ReasonText reason={reason} />}
    </>
  )
}

function OutcomeTag({ code }: { code: number }) {
  return code === 0 ? <Tag tone="green">{requestPageText.current().ok}</Tag> : <Tag tone="red">{String(code)}</Tag>
}
