import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { createPasskey, hasPasskeys } from '../../app/passkey.ts'
import { ConfirmDialog } from '../../components/dialog.tsx'
import { Field } from '../../components/fields.tsx'
import { ErrorMessage, QueryResult } from '../../components/query-result.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { accountPageText } from '../../messages/page-texts.ts'

type Passkey = Result<'dashboard.passkeys.list'>['passkeys'][number]

/** The user's passkeys. `onAdded` gets the recovery codes that came with the first factor. */
export function Passkeys({ onAdded }: { onAdded: (recoveryCodes: readonly string[]) => void }) {
  const text = accountPageText.current()
  const query = useQuery('dashboard.passkeys.list', {})
  const name = useSignal('')
  const { isBusy, error, run } = useAction()
  const add = async (): Promise<void> => {
    const created = await createPasskey(await call('dashboard.passkeys.begin', {}))
    const { recoveryCodes } = await call('dashboard.passkeys.add', { ...created, name: name.value.trim() })
    name.value = ''
    query.refetch()
    onAdded(recoveryCodes)
  }
  return (
    <>
      <p>{text.passkeysText}</p>
      <QueryResult query={query}>
        {({ passkeys }) =>
          passkeys.length === 0 ? (
            <p>{text.noPasskeys}</p>
          ) : (
            <ul class="list">
              {passkeys.map((passkey) => (
                <PasskeyItem key={passkey.passkeyId} passkey={passkey} onChanged={query.refetch} />
              ))}
            </ul>
          )
        }
      </QueryResult>
      {hasPasskeys() ? (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void run(add)
          }}
        >
          <Field
            label={text.passkeyName}
            hint={text.passkeyNameHint}
            value={name.value}
            onInput={(value) => (name.value = value)}
            maxLength={60}
            isRequired
          />
          <ErrorMessage error={error.value} />
          <button type="submit" disabled={isBusy.value}>
            {text.addPasskey}
          </button>
        </form>
      ) : (
        <p>{text.notSupported}</p>
      )}
    </>
  )
}

function PasskeyItem({ passkey, onChanged }: { passkey: Passkey; onChanged: () => void }) {
  const text = accountPageText.current()
  const { passkeyId, isSynced, createdAt, lastUsedAt } = passkey
  const isRemoving = useSignal(false)
  const newName = useSignal<string | null>(null)
  const { isBusy, error, run } = useAction()
  const rename = async (): Promise<void> => {
    await call('dashboard.passkeys.rename', { passkeyId, name: newName.value?.trim() ?? '' })
    newName.value = null
    onChanged()
  }
  const remove = async (): Promise<void> => {
    await call('dashboard.passkeys.remove', { passkeyId })
    onChanged()
  }
  if (newName.value !== null) {
    return (
      <li>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            void run(rename)
          }}
        >
          <Field
            label={text.newName}
            value={newName.value}
            onInput={(value) => (newName.value = value)}
            maxLength={60}
            isRequired
            hasFocus
          />
          <ErrorMessage error={error.value} />
          <div class="actions">
            <button type="submit" disabled={isBusy.value}>
              {text.save}
            </button>
            <button type="button" disabled={isBusy.value} onClick={() => (newName.value = null)}>
              {messages.value.cancel}
            </button>
          </div>
        </form>
      </li>
    )
  }
  return (
    <li>
      <span>
        <span class="agent">{passkey.name}</span> {isSynced && <Tag tone="blue">{text.synced}</Tag>}
        <small>
          {text.created} <Time at={createdAt} />
        </small>
        <small>
          {lastUsedAt === null ? (
            text.neverUsed
          ) : (
            <>
              {text.lastUsed} <Time at={lastUsedAt} />
            </>
          )}
        </small>
        {isSynced && <small>{text.syncedHint}</small>}
      </span>
      <span class="actions">
        <button type="button" onClick={() => (newName.value = passkey.name)}>
          {text.rename} <span class="visually-hidden">{passkey.name}</span>
        </button>
        <button type="button" class="danger" onClick={() => (isRemoving.value = true)}>
          {text.remove} <span class="visually-hidden">{passkey.name}</span>
        </button>
      </span>
      {isRemoving.value && (
        <ConfirmDialog
          title={text.removeTitle}
          text={formatMessage(text.removeText, passkey.name)}
          confirmLabel={text.remove}
          onConfirm={remove}
          onClose={() => (isRemoving.value = false)}
        />
      )}
    </li>
  )
}
