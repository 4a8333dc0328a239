import { useSignal } from '@preact/signals'
import type { Result, Role } from '@tessera/contract/operations'
import { useId } from 'preact/hooks'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/fields.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { userPageText } from '../../messages/page-texts.ts'

export type TeamUser = Result<'dashboard.users.list'>['users'][number]

/** A new user, whose password is shown once. */
export function NewUserDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (password: string) => void }) {
  const text = userPageText.current()
  const phone = useSignal('')
  const name = useSignal('')
  const role = useSignal<Role>('read')
  const { isBusy, error, run } = useAction()
  const submit = async (): Promise<void> => {
    const params = { phone: phone.value.replace(/\D/g, ''), name: name.value, role: role.value }
    const { password } = await call('dashboard.users.create', params)
    onClose()
    onCreated(password)
  }
  return (
    <Dialog title={text.add} onClose={onClose} isLocked={isBusy.value}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(submit)
        }}
      >
        <NameField value={name.value} onInput={(value) => (name.value = value)} />
        <Field
          label={text.phone}
          hint={messages.value.signIn.phoneHint}
          type="tel"
          value={phone.value}
          isRequired
          onInput={(value) => (phone.value = value)}
        />
        <RoleField role={role.value} onChange={(wanted) => (role.value = wanted)} />
        <ErrorMessage error={error.value} />
        <footer>
          <button type="button" disabled={isBusy.value} onClick={onClose}>
            {messages.value.cancel}
          </button>
          <button type="submit" class="main" disabled={isBusy.value}>
            {text.add}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

/** Name and role of a user. What a change of the role does is said before it is saved; nobody changes the own role. */
export function EditUserDialog({
  user,
  isOwn,
  onClose,
  onSaved,
}: {
  user: TeamUser
  isOwn: boolean
  onClose: () => void
  onSaved: () => void
}) {
  const text = userPageText.current()
  const name = useSignal(user.name)
  const role = useSignal(user.role)
  const { isBusy, error, run } = useAction()
  const { userId } = user
  const save = async (): Promise<void> => {
    if (name.value.trim() !== user.name) await call('dashboard.users.rename', { userId, name: name.value })
    if (role.value !== user.role) await call('dashboard.users.setRole', { userId, role: role.value })
    onSaved()
  }
  return (
    <Dialog title={formatMessage(text.editTitle, nameOfUser(user))} onClose={onClose} isLocked={isBusy.value}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(save, onClose)
        }}
      >
        <NameField value={name.value} onInput={(value) => (name.value = value)} />
        {!isOwn && <RoleField role={role.value} onChange={(wanted) => (role.value = wanted)} />}
        <p role="status">
          {role.value !== user.role && formatMessage(text.roleChange, messages.value.roles[user.role], messages.value.roles[role.value])}
        </p>
        <ErrorMessage error={error.value} />
        <footer>
          <button type="button" disabled={isBusy.value} onClick={onClose}>
            {messages.value.cancel}
          </button>
          <button type="submit" class="main" disabled={isBusy.value}>
            {text.save}
          </button>
        </footer>
      </form>
    </Dialog>
  )
}

/** The name, or the phone of a user without one. */
export function nameOfUser({ name, phone }: Pick<TeamUser, 'name' | 'phone'>): string {
  return name === '' ? `+${phone}` : name
}

function NameField({ value, onInput }: { value: string; onInput: (value: string) => void }) {
  const text = userPageText.current()
  return <Field label={text.name} hint={text.nameHint} value={value} onInput={onInput} maxLength={100} autocomplete="off" hasFocus />
}

function RoleField({ role, onChange }: { role: Role; onChange: (role: Role) => void }) {
  const text = userPageText.current()
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{text.role}</label>
      <select id={id} value={role} aria-describedby={`${id}-hint`} onChange={(event) => onChange(event.currentTarget.value as Role)}>
        {(['read', 'support', 'developer', 'owner'] as const).map((each) => (
          <option key={each} value={each}>
            {messages.value.roles[each]}
          </option>
        ))}
      </select>
      <small id={`${id}-hint`}>{text.roleHints[role]}</small>
    </div>
  )
}
