import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { dashboardPath } from '../../app/router.ts'
import { hasRole } from '../../app/session-state.ts'
import { ErrorMessage } from '../../components/query-result.tsx'
import { EnglishCode, Tag } from '../../components/values.tsx'
import { formatMs, groupCardNumber } from '../../format/numbers.ts'
import { useAction } from '../../hooks/use-action.ts'
import { startPageText } from '../../messages/page-texts.ts'
import { describeTestCard } from './test-cards.tsx'

type TestTokenResult = Result<'dashboard.start.makeToken'>

/** Makes a token for a test card and shows the calls that made it. */
export function TestTokenPanel({ cards }: { cards: Result<'dashboard.start.get'>['testCards'] }) {
  const text = startPageText.current()
  const lastFour = useSignal(cards[0]?.lastFour ?? '')
  const result = useSignal<TestTokenResult | null>(null)
  const { isBusy, error, run } = useAction()
  const make = async (): Promise<void> => {
    result.value = null
    result.value = await call('dashboard.start.makeToken', { lastFour: lastFour.value })
  }
  if (!hasRole('developer')) return null
  return (
    <section class="panel">
      <h2>{text.makeTitle}</h2>
      <p>{text.makeText}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(make)
        }}
      >
        <div class="field">
          <label for="test-card">{text.card}</label>
          <select id="test-card" value={lastFour.value} onChange={(event) => (lastFour.value = event.currentTarget.value)}>
            {cards.map((card) => (
              <option key={card.number} value={card.lastFour}>
                {groupCardNumber(card.number)} — {describeTestCard(card)}
              </option>
            ))}
          </select>
        </div>
        <button type="submit" class="main" disabled={isBusy.value}>
          {isBusy.value ? text.making : text.make}
        </button>
      </form>
      <ErrorMessage error={error.value} />
      <div aria-live="polite">{result.value !== null && <TestTokenOutcome result={result.value} />}</div>
    </section>
  )
}

function TestTokenOutcome({ result: { cardId, number, verified, steps } }: { result: TestTokenResult }) {
  const text = startPageText.current()
  return (
    <div class="outcome">
      <p>
        <Tag tone={verified ? 'green' : 'amber'}>{verified ? text.verified : text.notVerified}</Tag>{' '}
        {cardId !== null && (
          <a class="mask" href={dashboardPath(`cards/${cardId}`)}>
            {number}
          </a>
        )}
      </p>
      <ol class="calls">
        {steps.map(({ method, ms, refused }) => (
          <li key={method}>
            <Tag tone={refused === null ? 'green' : 'red'}>{refused === null ? '✓' : String(refused.code)}</Tag>
            <code>{method}</code>
            <small>{formatMs(ms, messages.value.ms)}</small>
            {refused !== null && (
              <span class="why">
                {refused.message} <EnglishCode code={refused.reason} />
              </span>
            )}
          </li>
        ))}
      </ol>
      {cardId !== null && (
        <p class="note">
          {text.cardId} <code>{cardId}</code>. {text.tokenNote}
        </p>
      )}
    </div>
  )
}
