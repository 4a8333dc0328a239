import { useSignal } from '@preact/signals'

import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { may } from '../../app/session-state.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import type { PartOfSettings } from './settings-part.ts'
import { fill } from '../../app/long-words.tsx'
import { settingsText } from './settings-text.ts'

/** API passwords: a second one, then the end of the first. */
export function Passwords({ settings: { passwords }, onChanged }: PartOfSettings) {
  const text = settingsText.now()
  const issued = useSignal<string | null>(null)
  const retiring = useSignal<number | null>(null)
  const { isBusy, refused, run } = useDeed()
  const live = passwords.filter(({ retiredAt }) => retiredAt === null)
  const rotate = async (): Promise<void> => {
    issued.value = (await call('dashboard.passwords.rotate', {})).password
    onChanged()
  }
  return (
    <section class="panel">
      <h2>{text.passwords}</h2>
      <p>{text.passwordsText}</p>
      <ul class="list">
        {passwords.map(({ number, createdAt, lastUsedAt, retiredAt }) => (
          <li key={number}>
            <span>
              {fill(text.passwordNumber, number)}{' '}
              {retiredAt === null ? <Tag tone="green">{text.live}</Tag> : <Tag tone="grey">{text.retired}</Tag>}
              <small>
                {text.made} <Time at={createdAt} />
              </small>
              <small>{lastUsedAt === null ? text.never : [text.used, ' ', <Time at={lastUsedAt} />]}</small>
            </span>
            {retiredAt === null && live.length > 1 && may('developer') && (
              <button type="button" onClick={() => (retiring.value = number)}>
                {text.retire} <span class="unseen">{fill(text.passwordNumber, number)}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      <Refusal refused={refused.value} />
      {may('developer') && live.length < 2 && (
        <button type="button" disabled={isBusy.value} onClick={() => void run(rotate)}>
          {text.rotate}
        </button>
      )}
      {issued.value !== null && (
        <Dialog title={text.issued} onClose={() => (issued.value = null)}>
          <p>{text.issuedText}</p>
          <Copy text={issued.value} />
        </Dialog>
      )}
      {retiring.value !== null && (
        <Confirm
          {...{ title: fill(text.retireTitle, retiring.value), text: text.retireText, deed: text.retire }}
          onDeed={async () => {
            await call('dashboard.passwords.retire', { number: retiring.value ?? 0 })
            onChanged()
          }}
          onClose={() => (retiring.value = null)}
        />
      )}
    </section>
  )
}
