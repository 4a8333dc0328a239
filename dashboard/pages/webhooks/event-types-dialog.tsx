import { useSignal } from '@preact/signals'
import { eventTypes, type EventType } from '@tessera/contract/event'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { Dialog } from '../../components/dialog.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { webhookPageText } from '../../messages/page-texts.ts'

export interface EventTypesDialogProps {
  readonly endpoint: { readonly endpointId: string; readonly url: string; readonly types: readonly EventType[] }
  readonly onChanged: () => void
  readonly onClose: () => void
}

/** Chooses which events an endpoint gets. None chosen cannot be saved: an endpoint that gets nothing is disabled instead. */
export function EventTypesDialog({ endpoint: { endpointId, url, types }, onChanged, onClose }: EventTypesDialogProps) {
  const text = webhookPageText.current()
  const chosen = useSignal<ReadonlySet<EventType>>(new Set(types.length === 0 ? eventTypes : types))
  const { isBusy, error, run } = useAction()
  const save = async (): Promise<void> => {
    const all = chosen.value.size === eventTypes.length
    await call('dashboard.webhooks.change', { endpointId, types: all ? [] : [...chosen.value] })
    onChanged()
  }
  const toggle = (type: EventType, isChosen: boolean): void => {
    const next = new Set(chosen.value)
    if (isChosen) next.add(type)
    else next.delete(type)
    chosen.value = next
  }
  return (
    <Dialog title={text.eventsOf} onClose={onClose} isLocked={isBusy.value}>
      <p>
        <code>{url}</code>
      </p>
      <fieldset class="event-types">
        <legend class="visually-hidden">{text.eventsOf}</legend>
        {eventTypes.map((type) => (
          <label key={type}>
            <input type="checkbox" checked={chosen.value.has(type)} onChange={(event) => toggle(type, event.currentTarget.checked)} />
            <code>{type}</code>
            <small>{text.typeMeanings[type]}</small>
          </label>
        ))}
      </fieldset>
      <ErrorMessage error={error.value} />
      <footer>
        <button type="button" disabled={isBusy.value} onClick={onClose}>
          {messages.value.cancel}
        </button>
        <button type="button" class="main" disabled={isBusy.value || chosen.value.size === 0} onClick={() => void run(save, onClose)}>
          {text.save}
        </button>
      </footer>
    </Dialog>
  )
}
