import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { asRefused } from '../../app/ask.ts'
import { call, type Refused } from '../../app/call.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Outcome } from './outcome.tsx'
import { webhookText } from './webhook-text.ts'

/** Sends an endpoint an event that says it is a test, and shows what it answered. */
export function TestEvent({ endpointId }: { endpointId: string }) {
  const text = webhookText.now()
  const told = useSignal<Result<'dashboard.webhooks.sendTest'> | null>(null)
  const refused = useSignal<Refused | null>(null)
  const isBusy = useSignal(false)
  const send = async (): Promise<void> => {
    isBusy.value = true
    told.value = null
    try {
      told.value = await call('dashboard.webhooks.sendTest', { endpointId })
      refused.value = null
    } catch (err) {
      refused.value = asRefused(err)
    } finally {
      isBusy.value = false
    }
  }
  return (
    <>
      <span role="status" class="tested">
        {told.value !== null && <Outcome outcome={told.value.outcome} status={told.value.status} tookMs={told.value.tookMs} />}
      </span>
      <Refusal refused={refused.value} />
      <button type="button" disabled={isBusy.value} onClick={() => void send()}>
        {text.test}
      </button>
    </>
  )
}
