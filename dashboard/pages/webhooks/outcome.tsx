import { Tag } from '../../parts/tag.tsx'
import { writeMs } from '../../parts/time.tsx'
import { webhookText } from './webhook-text.ts'

/** What became of one attempt: a word, the HTTP status if there was one, and how long it took. */
export function Outcome({ outcome, status, tookMs }: { outcome: string; status: number; tookMs: number }) {
  const text = webhookText.now()
  return (
    <>
      <Tag tone={outcome === 'delivered' ? 'green' : 'red'}>{text.outcomes[outcome] ?? outcome}</Tag>{' '}
      {status > 0 && <code>HTTP {status}</code>} <small>{writeMs(tookMs)}</small>
    </>
  )
}

/** The state of a delivery. */
export function DeliveryState({ state }: { state: 'waiting' | 'delivered' | 'dead' }) {
  const tone = { waiting: 'amber', delivered: 'green', dead: 'red' } as const
  return <Tag tone={tone[state]}>{webhookText.now().states[state]}</Tag>
}
