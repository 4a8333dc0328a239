import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { dashboardPath } from '../../app/router.ts'
import { hasRole } from '../../app/session-state.ts'
import { CopyButton } from '../../components/copy.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { EnglishCode, MethodLink } from '../../components/docs-link.tsx'
import { docsPath } from '../../components/docs-path.ts'
import { Tag } from '../../components/values.tsx'
import { formatMs, groupCardNumber } from '../../format/numbers.ts'
import { useAction } from '../../hooks/use-action.ts'
import { startPageText } from '../../messages/page-texts.ts'
import { describeTestCard } from './test-cards.tsx'

type TestPaymentResult = Result<'dashboard.start.makePayment'>

/** Makes a payment with a test card and shows the calls that made it, and once the token of the card. */
export function TestPaymentPanel({ cards, onMade }: { cards: Result<'dashboard.start.get'>['testCards']; onMade: () => void }) {
  const text = startPageText.current()
  const lastFour = useSignal(cards[0]?.lastFour ?? '')
  const result = useSignal<TestPaymentResult | null>(null)
  const { isBusy, error, run } = useAction()
  const make = async (): Promise<void> => {
    result.value = null
    result.value = await call('dashboard.start.makePayment', { lastFour: lastFour.value })
    onMade()
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
      <div aria-live="polite">{result.value !== null && <TestPaymentOutcome result={result.value} />}</div>
    </section>
  )
}

function TestPaymentOutcome({ result: { cardId, number, token, receiptId, paid, steps } }: { result: TestPaymentResult }) {
  const text = startPageText.current()
  return (
    <div class="outcome">
      <p>
        <Tag tone={paid ? 'green' : 'amber'}>{paid ? text.paid : text.notPaid}</Tag>{' '}
        {cardId !== null && (
          <a class="mask" href={dashboardPath(`cards/${cardId}`)}>
            {number}
          </a>
        )}{' '}
        {receiptId !== null && <a href={dashboardPath(`receipts/${receiptId}`)}>{text.toReceipt}</a>}
      </p>
      {token !== null && (
        <div class="once">
          <strong>{text.token}</strong>
          <CopyButton text={token} />
          <small>{text.tokenOnce}</small>
        </div>
      )}
      <ol class="calls">
        {steps.map(({ method, ms, refused }) => (
          <li key={method}>
            <Tag tone={refused === null ? 'green' : 'red'}>{refused === null ? '✓' : String(refused.code)}</Tag>
            <MethodLink method={method} />
            <small>{formatMs(ms, messages.value.ms)}</small>
            {refused !== null && (
              <span class="why">
                {refused.message} <EnglishCode code={refused.reason} href={docsPath.reason(refused.reason)} />
              </span>
            )}
          </li>
        ))}
      </ol>
    </div>
  )
}
