import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Outcome } from './outcome.tsx'
import { webhookText } from './webhook-text.ts'

/** Sends an endpoint an event that says it is a test, and shows what it answered. */
export function TestEvent({ endpoint: { endpointId, url } }: { endpoint: { readonly endpointId: string; readonly url: string } }) {
  const text = webhookText.now()
  const told = useSignal<Result<'dashboard.webhooks.sendTest'> | null>(null)
  const { isBusy, refused, run } = useDeed()
  const send = async (): Promise<void> => {
    told.value = null
    told.value = await call('dashboard.webhooks.sendTest', { endpointId })
  }
  return (
    <>
      <span role="status" class="tested">
        {told.value !== null && <Outcome outcome={told.value.outcome} status={told.value.status} tookMs={told.value.tookMs} />}
      </span>
      <Refusal refused={refused.value} />
      <button type="button" disabled={isBusy.value} onClick={() => void run(send)}>
        {text.test} <span class="unseen">{url}</span>
      </button>
    </>
  )
}
