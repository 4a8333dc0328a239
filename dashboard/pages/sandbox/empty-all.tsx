import { useSignal } from '@preact/signals'

import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { words } from '../../app/language.ts'
import { may, session } from '../../app/session-state.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import type { PartOfSandbox } from './sandbox-part.ts'
import { sandboxText } from './sandbox-text.ts'

/** Empties what was rehearsed; the merchant's id is typed first. */
export function EmptyAll({ change }: PartOfSandbox) {
  const text = sandboxText.now()
  const isOpen = useSignal(false)
  const { isBusy, refused, run } = useDeed()
  const typed = useSignal('')
  const merchantId = session.value?.merchantId ?? ''
  const open = (): void => {
    typed.value = ''
    isOpen.value = true
  }
  const close = (): void => {
    isOpen.value = false
  }
  const empty = async (): Promise<void> => {
    const isWhole = await emptyInTurns(merchantId)
    await change(() => Promise.resolve(), isWhole ? text.emptied : text.emptiedPart)
  }
  return (
    <section class="panel">
      <h2>{text.empty}</h2>
      <p>{text.emptyText}</p>
      {may('developer') && (
        <button type="button" class="danger" onClick={open}>
          {text.emptyDeed}…
        </button>
      )}
      {isOpen.value && (
        <Dialog title={text.emptyTitle} onClose={close} isHeld={isBusy.value}>
          <p>{text.emptyWarning}</p>
          <form
            onSubmit={(event) => {
              event.preventDefault()
              if (typed.value.trim() === merchantId && !isBusy.value) void run(empty, close)
            }}
          >
            <p>
              {text.emptyType} <code>{merchantId}</code>
            </p>
            <Field
              {...{ label: text.emptyField, value: typed.value, autocomplete: 'off', maxLength: 40, isFirst: true }}
              onInput={(value) => (typed.value = value)}
            />
            <Refusal refused={refused.value} />
            <footer>
              <button type="button" disabled={isBusy.value} onClick={close}>
                {words.value.cancel}
              </button>
              <button type="submit" class="danger" disabled={isBusy.value || typed.value.trim() !== merchantId}>
                {text.emptyDeed}
              </button>
            </footer>
          </form>
        </Dialog>
      )}
    </section>
  )
}

/** A great deal is emptied in turns, so that no call is a long one. False: so many turns were not enough. */
async function emptyInTurns(merchantId: string): Promise<boolean> {
  for (let turn = 0; turn < turnsMax; turn++) {
    if ((await call('dashboard.sandbox.reset', { merchantId })).isWhole) return true
  }
  return false
}

const turnsMax = 100
