import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { useAsk } from '../../app/ask.ts'
import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { may } from '../../app/session-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { TestEvent } from './test-event.tsx'
import { webhookText } from './webhook-text.ts'
import './webhooks.css'

type Endpoint = Result<'dashboard.webhooks.list'>['endpoints'][number]

/** A secret that was issued now: it is shown once. */
interface Issued {
  readonly secret: string
  /** When the one before ends; null for the first. */
  readonly bothUntil: number | null
}

/** Where events go: added, given a new secret, tried out, removed. */
export function EndpointList() {
  const text = webhookText.now()
  const asked = useAsk('dashboard.webhooks.list', {})
  const issued = useSignal<Issued | null>(null)
  const deed = useSignal<{ readonly name: 'rotate' | 'remove'; readonly of: Endpoint } | null>(null)
  return (
    <section class="panel">
      <h2>{text.endpoints}</h2>
      <p>{text.endpointsText}</p>
      <Answer asked={asked}>
        {(found) => (
          <>
            {found.endpoints.length === 0 && <p class="faint">{text.noEndpoint}</p>}
            <ul class="list">
              {found.endpoints.map((endpoint) => (
                <li key={endpoint.endpointId} class="endpoint">
                  <span>
                    <code>{endpoint.url}</code> {endpoint.bothSecretsUntil !== null && <Tag tone="amber">{text.twoSecrets}</Tag>}
                    <small>
                      {text.added} <Time at={endpoint.createdAt} />
                      {endpoint.bothSecretsUntil !== null && [' · ', text.bothUntil, ' ', <Time at={endpoint.bothSecretsUntil} />]}
                    </small>
                  </span>
                  {may('developer') && (
                    <span class="deeds">
                      <TestEvent endpoint={endpoint} />
                      <button type="button" onClick={() => (deed.value = { name: 'rotate', of: endpoint })}>
                        {text.rotate} <span class="unseen">{endpoint.url}</span>
                      </button>
                      <button type="button" class="danger" onClick={() => (deed.value = { name: 'remove', of: endpoint })}>
                        {text.remove} <span class="unseen">{endpoint.url}</span>
                      </button>
                    </span>
                  )}
                </li>
              ))}
            </ul>
            {may('developer') && found.endpoints.length < found.endpointsMax && (
              <Add
                onAdded={(secret) => {
                  issued.value = { secret, bothUntil: null }
                  asked.again()
                }}
              />
            )}
          </>
        )}
      </Answer>
      {deed.value !== null && (
        <Confirm
          title={deed.value.name === 'rotate' ? text.rotateTitle : text.removeTitle}
          text={`${deed.value.of.url} — ${deed.value.name === 'rotate' ? text.rotateText : text.removeText}`}
          deed={deed.value.name === 'rotate' ? text.rotate : text.remove}
          onDeed={async () => {
            const { name, of } = deed.value ?? {}
            if (of === undefined) return
            if (name === 'rotate') issued.value = await call('dashboard.webhooks.rotate', { endpointId: of.endpointId })
            else await call('dashboard.webhooks.remove', { endpointId: of.endpointId })
            asked.again()
          }}
          onClose={() => (deed.value = null)}
        />
      )}
      {issued.value !== null && deed.value === null && <Secret issued={issued.value} onClose={() => (issued.value = null)} />}
    </section>
  )
}

function Add({ onAdded }: { onAdded: (secret: string) => void }) {
  const text = webhookText.now()
  const url = useSignal('')
  const { isBusy, refused, run } = useDeed()
  const add = async (): Promise<void> => {
    const { secret } = await call('dashboard.webhooks.add', { url: url.value })
    url.value = ''
    onAdded(secret)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void run(add)
      }}
    >
      <Field
        {...{ label: text.url, hint: text.urlHint, value: url.value, onInput: (value) => (url.value = value) }}
        {...{ isRequired: true, maxLength: 2048, autocomplete: 'off' }}
      />
      <Refusal refused={refused.value} />
      <button type="submit" class="main" disabled={isBusy.value}>
        {text.add}
      </button>
    </form>
  )
}

function Secret({ issued: { secret, bothUntil }, onClose }: { issued: Issued; onClose: () => void }) {
  const text = webhookText.now()
  return (
    <Dialog title={text.secret} onClose={onClose}>
      <p>{text.secretText}</p>
      <Copy text={secret} />
      {bothUntil !== null && (
        <p>
          {text.secretBoth} <Time at={bothUntil} />.
        </p>
      )}
    </Dialog>
  )
}
