import { useSignal } from '@preact/signals'

import { call } from '../../app/api.ts'
import { messages, language } from '../../app/language.ts'
import { hasRole } from '../../app/session-state.ts'
import { CopyButton } from '../../components/copy.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/fields.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { formatTime } from '../../format/time.ts'
import { useAction } from '../../hooks/use-action.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { settingsPageText } from '../../messages/page-texts.ts'
import type { SettingsPanelProps } from './settings-form.tsx'

/** API passwords: rotated by issuing a second one of the scope and retiring the first. */
export function PasswordsPanel({ settings: { passwords }, onChanged }: SettingsPanelProps) {
  const text = settingsPageText.current()
  const issued = useSignal<string | null>(null)
  const retiring = useSignal<number | null>(null)
  const { isBusy, error, run } = useAction()
  const live = passwords.filter(({ retiredAt }) => retiredAt === null)
  const countOf = (scope: 'cards' | 'full'): number => live.filter((each) => each.scope === scope).length
  const creating = useSignal<'cards' | 'full' | null>(null)
  const renaming = useSignal<ApiPassword | null>(null)
  const label = useSignal('')
  const create = async (): Promise<void> => {
    if (creating.value === null) return
    issued.value = (await call('dashboard.passwords.rotate', { scope: creating.value, label: label.value })).password
    creating.value = null
    onChanged()
  }
  const rename = async (): Promise<void> => {
    await call('dashboard.passwords.rename', { number: renaming.value?.number ?? 0, label: label.value })
    renaming.value = null
    onChanged()
  }
  const open = (scope: 'cards' | 'full'): void => {
    label.value = ''
    creating.value = scope
  }
  return (
    <section class="panel">
      <h2>{text.passwords}</h2>
      <p>{text.passwordsText}</p>
      <ul class="list">
        {passwords.map(({ number, scope, label: name, createdAt, lastUsedAt, retiredAt }) => (
          <li key={number}>
            <span>
              <strong>{name === '' ? formatMessage(text.passwordNumber, number) : name}</strong>{' '}
              {name !== '' && <small>{formatMessage(text.passwordNumber, number)}</small>}{' '}
              {retiredAt === null ? <Tag tone="green">{text.active}</Tag> : <Tag tone="grey">{text.retired}</Tag>}
              <small>{scope === 'full' ? text.scopeFull : text.scopeCards}</small>
              <small>
                {text.createdAt} <Time at={createdAt} />
              </small>
              <small>{lastUsedAt === null ? text.neverUsed : [text.lastUsedAt, ' ', <Time at={lastUsedAt} />]}</small>
            </span>
            {retiredAt === null && hasRole('developer') && (
              <span class="actions">
                <button
                  type="button"
                  class="quiet"
                  onClick={() => {
                    label.value = name
                    renaming.value = { number, label: name }
                  }}
                >
                  {text.rename} <span class="visually-hidden">{formatMessage(text.passwordNumber, number)}</span>
                </button>
                {(scope === 'cards' || countOf('full') > 1) && (
                  // While two are active, the older one is the one to go.
                  <button
                    type="button"
                    class={isOlderOfTwo(live, { number, scope }) ? 'main' : 'quiet'}
                    onClick={() => (retiring.value = number)}
                  >
                    {isOlderOfTwo(live, { number, scope }) ? text.retireOld : text.retire}{' '}
                    <span class="visually-hidden">{formatMessage(text.passwordNumber, number)}</span>
                  </button>
                )}
              </span>
            )}
          </li>
        ))}
      </ul>
      <p class="actions">
        {hasRole('owner') && countOf('full') < 2 && (
          <button type="button" disabled={isBusy.value} onClick={() => open('full')}>
            {text.rotate}
          </button>
        )}
        {hasRole('developer') && countOf('cards') < 2 && (
          <button type="button" disabled={isBusy.value} onClick={() => open('cards')}>
            {text.rotateCards}
          </button>
        )}
      </p>
      {(creating.value !== null || renaming.value !== null) && (
        <Dialog
          title={creating.value === null ? text.rename : creating.value === 'full' ? text.rotate : text.rotateCards}
          onClose={() => (creating.value = renaming.value = null)}
          isLocked={isBusy.value}
        >
          <form
            onSubmit={(event) => {
              event.preventDefault()
              void run(creating.value === null ? rename : create)
            }}
          >
            <Field
              label={text.passwordLabel}
              hint={text.passwordLabelHint}
              value={label.value}
              onInput={(value) => (label.value = value)}
              maxLength={40}
              hasFocus
            />
            <ErrorMessage error={error.value} />
            <footer>
              <button type="button" disabled={isBusy.value} onClick={() => (creating.value = renaming.value = null)}>
                {messages.value.cancel}
              </button>
              <button type="submit" class="main" disabled={isBusy.value}>
                {creating.value === null ? text.save : text.createPassword}
              </button>
            </footer>
          </form>
        </Dialog>
      )}
      {issued.value !== null && (
        <Dialog title={text.issued} onClose={() => (issued.value = null)}>
          <p>{text.issuedText}</p>
          <CopyButton text={issued.value} />
        </Dialog>
      )}
      {retiring.value !== null && (
        <ConfirmDialog
          title={formatMessage(text.retireTitle, retiring.value)}
          text={retireText(passwords.find(({ number }) => number === retiring.value)?.lastUsedAt ?? null)}
          confirmLabel={text.retire}
          onConfirm={async () => {
            await call('dashboard.passwords.retire', { number: retiring.value ?? 0 })
            onChanged()
          }}
          onClose={() => (retiring.value = null)}
        />
      )}
    </section>
  )
}

interface ApiPassword {
  readonly number: number
  readonly label: string
}

interface ScopedPassword {
  readonly number: number
  readonly scope: 'cards' | 'full'
}

function isOlderOfTwo(live: readonly ScopedPassword[], { number, scope }: ScopedPassword): boolean {
  return live.some((other) => other.scope === scope && other.number > number)
}

/** What retiring does, and when a server has used the password. */
function retireText(lastUsedAt: number | null): string {
  const text = settingsPageText.current()
  return `${text.retireText} ${lastUsedAt === null ? text.retireUnused : formatMessage(text.retireUsed, formatTime(lastUsedAt, language.value))}`
}
