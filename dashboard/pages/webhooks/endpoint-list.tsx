import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { hasRole } from '../../app/session-state.ts'
import { ActionMenu, type MenuAction } from '../../components/action-menu.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/fields.tsx'
import { QueryResult, ErrorMessage } from '../../components/query-result.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { webhookPageText } from '../../messages/page-texts.ts'
import { DeliveryOutcome } from './delivery-detail.tsx'
import { EndpointHealthSummary } from './endpoint-health.tsx'
import { EventTypesDialog } from './event-types-dialog.tsx'

type WebhookEndpoint = Result<'dashboard.webhooks.list'>['endpoints'][number]

/** A newly issued secret, which is shown only once. */
interface IssuedSecret {
  readonly secret: string
  /** When the previous secret stops signing. Null for the first secret. */
  readonly bothUntil: number | null
}

/** The endpoints that receive events: add, test, rotate the secret, remove. */
export function EndpointList() {
  const text = webhookPageText.current()
  const query = useQuery('dashboard.webhooks.list', {})
  const issued = useSignal<IssuedSecret | null>(null)
  const pending = useSignal<{ readonly action: EndpointAction; readonly endpoint: WebhookEndpoint } | null>(null)
  const editing = useSignal<WebhookEndpoint | null>(null)
  return (
    <section class="panel">
      <h2>{text.endpoints}</h2>
      <p>{text.endpointsText}</p>
      <QueryResult query={query}>
        {({ endpoints, endpointsMax }) => (
          <>
            {endpoints.length === 0 && <p class="faint">{text.noEndpoint}</p>}
            <ul class="list">
              {endpoints.map((endpoint) => (
                <li key={endpoint.endpointId} class="endpoint">
                  <div class="endpoint-head">
                    <code>{endpointName(endpoint)}</code> <EndpointTags endpoint={endpoint} />
                  </div>
                  {endpoint.state === 'tampered' && <p role="alert">{text.tamperedEndpointText}</p>}
                  <small>
                    {endpoint.createdAt !== null && [text.added, ' ', <Time at={endpoint.createdAt} />]}
                    {endpoint.state === 'active' && [' · ', endpoint.types.length === 0 ? text.allEvents : endpoint.types.join(', ')]}
                    {endpoint.bothSecretsUntil !== null && [' · ', text.bothUntil, ' ', <Time at={endpoint.bothSecretsUntil} />]}
                  </small>
                  <EndpointHealthSummary health={endpoint.health} />
                  {hasRole('developer') && (
                    <div class="actions">
                      {endpoint.state === 'active' && (
                        <>
                          <TestEventButton endpoint={endpoint} />
                          {endpoint.disabledAt === null && <ReplayFailedButton endpoint={endpoint} />}
                          {endpoint.disabledAt !== null && <EnableButton endpoint={endpoint} onChanged={query.refetch} />}
                        </>
                      )}
                      <ActionMenu
                        of={endpointName(endpoint)}
                        actions={menuOf(endpoint, {
                          edit: () => (editing.value = endpoint),
                          confirm: (action) => (pending.value = { action, endpoint }),
                        })}
                      />
                    </div>
                  )}
                </li>
              ))}
            </ul>
            {hasRole('developer') && endpoints.length < endpointsMax && (
              <AddEndpoint
                onAdded={(secret) => {
                  issued.value = { secret, bothUntil: null }
                  query.refetch()
                }}
              />
            )}
          </>
        )}
      </QueryResult>
      {pending.value !== null && (
        <ConfirmDialog
          {...confirmationOf(pending.value.action)}
          text={`${endpointName(pending.value.endpoint)} — ${confirmationOf(pending.value.action).text}`}
          onConfirm={async () => {
            const { action, endpoint } = pending.value ?? {}
            if (endpoint === undefined) return
            const { endpointId } = endpoint
            if (action === 'rotate') issued.value = await call('dashboard.webhooks.rotate', { endpointId })
            else if (action === 'disable') await call('dashboard.webhooks.change', { endpointId, enabled: false })
            else await call('dashboard.webhooks.remove', { endpointId })
            query.refetch()
          }}
          onClose={() => (pending.value = null)}
        />
      )}
      {editing.value !== null && (
        <EventTypesDialog endpoint={editing.value} onChanged={query.refetch} onClose={() => (editing.value = null)} />
      )}
      {issued.value !== null && pending.value === null && <SecretDialog issued={issued.value} onClose={() => (issued.value = null)} />}
    </section>
  )
}

type EndpointAction = 'rotate' | 'disable' | 'remove'

function confirmationOf(action: EndpointAction) {
  const text = webhookPageText.current()
  return {
    rotate: { title: text.rotateTitle, text: text.rotateText, confirmLabel: text.rotate },
    disable: { title: text.disableTitle, text: text.disableText, confirmLabel: text.disable },
    remove: { title: text.removeTitle, text: text.removeText, confirmLabel: text.remove },
  }[action]
}

function EndpointTags({ endpoint: { state, disabledAt, bothSecretsUntil } }: { endpoint: WebhookEndpoint }) {
  const text = webhookPageText.current()
  if (state === 'tampered') return <Tag tone="red">{text.tampered}</Tag>
  return (
    <>
      <Tag tone={disabledAt === null ? 'green' : 'grey'}>{disabledAt === null ? text.enabled : text.disabled}</Tag>
      {bothSecretsUntil !== null && <Tag tone="amber">{text.twoSecrets}</Tag>}
    </>
  )
}

interface EndpointMenu {
  readonly edit: () => void
  readonly confirm: (action: EndpointAction) => void
}

/** The rare actions. Disabling has a confirmation, since events that happen meanwhile are not sent. */
function menuOf({ state, disabledAt }: WebhookEndpoint, { edit, confirm }: EndpointMenu): readonly MenuAction[] {
  const text = webhookPageText.current()
  const remove: MenuAction = { label: text.remove, isDanger: true, onSelect: () => confirm('remove') }
  if (state !== 'active') return [remove]
  return [
    { label: text.events, onSelect: edit },
    { label: text.rotate, onSelect: () => confirm('rotate') },
    ...(disabledAt === null ? [{ label: text.disable, onSelect: () => confirm('disable') }] : []),
    remove,
  ]
}

function EnableButton({ endpoint: { endpointId, url }, onChanged }: { endpoint: WebhookEndpoint; onChanged: () => void }) {
  const text = webhookPageText.current()
  const { isBusy, error, run } = useAction()
  const enable = async (): Promise<void> => {
    await call('dashboard.webhooks.change', { endpointId, enabled: true })
    onChanged()
  }
  return (
    <>
      <ErrorMessage error={error.value} />
      <button type="button" disabled={isBusy.value} onClick={() => void run(enable)}>
        {text.enable} <span class="visually-hidden">{url}</span>
      </button>
    </>
  )
}

/** The URL of a tampered endpoint is not returned. */
function endpointName({ state, url, endpointId }: WebhookEndpoint): string {
  return state === 'tampered' ? endpointId : url
}

function AddEndpoint({ onAdded }: { onAdded: (secret: string) => void }) {
  const text = webhookPageText.current()
  const url = useSignal('')
  const { isBusy, error, run } = useAction()
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
        label={text.url}
        hint={text.urlHint}
        value={url.value}
        onInput={(value) => (url.value = value)}
        isRequired
        maxLength={2048}
        autocomplete="off"
      />
      <ErrorMessage error={error.value} />
      <button type="submit" class="main" disabled={isBusy.value}>
        {text.add}
      </button>
    </form>
  )
}

function SecretDialog({ issued: { secret, bothUntil }, onClose }: { issued: IssuedSecret; onClose: () => void }) {
  const text = webhookPageText.current()
  return (
    <Dialog title={text.secret} onClose={onClose}>
      <p>{text.secretText}</p>
      <CopyButton text={secret} />
      {bothUntil !== null && (
        <p>
          {text.secretBoth} <Time at={bothUntil} />.
        </p>
      )}
    </Dialog>
  )
}

/** Sends everything again that an endpoint did not accept, page by page, and shows how many events that were. */
function ReplayFailedButton({ endpoint: { endpointId, url } }: { endpoint: WebhookEndpoint }) {
  const text = webhookPageText.current()
  const isConfirming = useSignal(false)
  const replayed = useSignal<number | null>(null)
  const replayAll = async (): Promise<void> => {
    let page = await call('dashboard.webhooks.replayFailed', { endpointId })
    replayed.value = page.replayed
    while (page.hasMore) {
      page = await call('dashboard.webhooks.replayFailed', { endpointId, to: page.to })
      replayed.value += page.replayed
    }
  }
  return (
    <>
      <span role="status" class="tested">
        {replayed.value !== null && formatMessage(text.replayedFailed, replayed.value)}
      </span>
      <button type="button" onClick={() => (isConfirming.value = true)}>
        {text.replayFailed} <span class="visually-hidden">{url}</span>
      </button>
      {isConfirming.value && (
        <ConfirmDialog
          title={text.replayFailedTitle}
          text={`${url} — ${text.replayFailedText}`}
          confirmLabel={text.replayFailed}
          onConfirm={replayAll}
          onClose={() => (isConfirming.value = false)}
        />
      )}
    </>
  )
}

/** Sends a test event to an endpoint and shows the outcome. */
export function TestEventButton({ endpoint: { endpointId, url } }: { endpoint: { readonly endpointId: string; readonly url: string } }) {
  const text = webhookPageText.current()
  const outcome = useSignal<Result<'dashboard.webhooks.sendTest'> | null>(null)
  const { isBusy, error, run } = useAction()
  const send = async (): Promise<void> => {
    outcome.value = null
    outcome.value = await call('dashboard.webhooks.sendTest', { endpointId })
  }
  return (
    <>
      <span role="status" class="tested">
        {outcome.value !== null && (
          <DeliveryOutcome outcome={outcome.value.outcome} status={outcome.value.status} tookMs={outcome.value.tookMs} />
        )}
      </span>
      <ErrorMessage error={error.value} />
      <button type="button" disabled={isBusy.value} onClick={() => void run(send)}>
        {text.test} <span class="visually-hidden">{url}</span>
      </button>
    </>
  )
}
