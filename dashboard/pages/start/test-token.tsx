import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { pathOf } from '../../app/router.ts'
import { may } from '../../app/session-state.ts'
import { grouped } from '../../parts/grouped.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Tag } from '../../parts/tag.tsx'
import { writeMs } from '../../parts/time.tsx'
import { startText } from './start-text.ts'
import { meaningOf } from './test-cards.tsx'

type Made = Result<'dashboard.start.makeToken'>

/** Makes a token of a test card, and shows by which calls it came to be. */
export function TestToken({ cards }: { cards: Result<'dashboard.start.get'>['testCards'] }) {
  const text = startText.now()
  const lastFour = useSignal(cards[0]?.lastFour ?? '')
  const made = useSignal<Made | null>(null)
  const { isBusy, refused, run } = useDeed()
  const make = async (): Promise<void> => {
    made.value = null
    made.value = await call('dashboard.start.makeToken', { lastFour: lastFour.value })
  }
  if (!may('developer')) return null
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
                {grouped(card.number)} — {meaningOf(card)}
              </option>
            ))}
          </select>
        </div>
        <button type="submit" class="main" disabled={isBusy.value}>
          {isBusy.value ? text.making : text.make}
        </button>
      </form>
      <Refusal refused={refused.value} />
      <div aria-live="polite">{made.value !== null && <Outcome made={made.value} />}</div>
    </section>
  )
}

function Outcome({ made: { cardId, number, verified, steps } }: { made: Made }) {
  const text = startText.now()
  return (
    <div class="outcome">
      <p>
        <Tag tone={verified ? 'green' : 'amber'}>{verified ? text.verified : text.notVerified}</Tag>{' '}
        {cardId !== null && (
          <a class="mask" href={pathOf(`cards/${cardId}`)}>
            {number}
          </a>
        )}
      </p>
      <ol class="calls">
        {steps.map(({ method, ms, refused }) => (
          <li key={method}>
            <Tag tone={refused === null ? 'green' : 'red'}>{refused === null ? '✓' : String(refused.code)}</Tag>
            <code>{method}</code>
            <small>{writeMs(ms)}</small>
            {refused !== null && (
              <span class="why">
                {refused.message} <code>{refused.reason}</code>
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
