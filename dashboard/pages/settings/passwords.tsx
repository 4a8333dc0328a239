import { useSignal } from '@preact/signals'

import { call } from '../../app/api.ts'
import { hasRole } from '../../app/session-state.ts'
import { CopyButton } from '../../components/copy.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { Tag, Time } from '../../components/values.tsx'
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
  const rotate = async (scope: 'cards' | 'full'): Promise<void> => {
    issued.value = (await call('dashboard.passwords.rotate', { scope })).password
    onChanged()
  }
  return (
    <section class="panel">
      <h2>{text.passwords}</h2>
      <p>{text.passwordsText}</p>
      <ul class="list">
        {passwords.map(({ number, scope, createdAt, lastUsedAt, retiredAt }) => (
          <li key={number}>
            <span>
              {formatMessage(text.passwordNumber, number)}{' '}
              {retiredAt === null ? <Tag tone="green">{text.active}</Tag> : <Tag tone="grey">{text.retired}</Tag>}
              <small>{scope === 'full' ? text.scopeFull : text.scopeCards}</small>
              <small>
                {text.createdAt} <Time at={createdAt} />
              </small>
              <small>{lastUsedAt === null ? text.neverUsed : [text.lastUsedAt, ' ', <Time at={lastUsedAt} />]}</small>
            </span>
            {retiredAt === null && (scope === 'cards' || countOf('full') > 1) && hasRole('developer') && (
              <button type="button" onClick={() => (retiring.value = number)}>
                {text.retire} <span class="visually-hidden">{formatMessage(text.passwordNumber, number)}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      <ErrorMessage error={error.value} />
      <p class="actions">
        {hasRole('owner') && countOf('full') < 2 && (
          <button type="button" disabled={isBusy.value} onClick={() => void run(() => rotate('full'))}>
            {text.rotate}
          </button>
        )}
        {hasRole('developer') && countOf('cards') < 2 && (
          <button type="button" disabled={isBusy.value} onClick={() => void run(() => rotate('cards'))}>
            {text.rotateCards}
          </button>
        )}
      </p>
      {issued.value !== null && (
        <Dialog title={text.issued} onClose={() => (issued.value = null)}>
          <p>{text.issuedText}</p>
          <CopyButton text={issued.value} />
        </Dialog>
      )}
      {retiring.value !== null && (
        <ConfirmDialog
          title={formatMessage(text.retireTitle, retiring.value)}
          text={text.retireText}
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
