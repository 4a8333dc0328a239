import '../../app/common.ts'
import { useSignal } from '@preact/signals'
import type { Result, Role } from '@tessera/contract/operations'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { session } from '../../app/session-state.ts'
import { CopyButton } from '../../components/copy.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { Field } from '../../components/fields.tsx'
import { QueryResult, ErrorMessage } from '../../components/query-result.tsx'
import { Tag } from '../../components/values.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { useQuery } from '../../hooks/use-query.ts'

type User = Result<'dashboard.users.list'>['users'][number]

/** An action that ends another user's sessions and waits for confirmation. */
interface PendingAction {
  readonly action: 'reset' | 'block'
  readonly user: User
}

/** The merchant's users: roles, blocking, password resets. */
export function UsersPage() {
  const text = messages.value.users
  const query = useQuery('dashboard.users.list', {})
  const { isBusy, error, run: runAction } = useAction()
  const issued = useSignal<string | null>(null)
  const isNew = useSignal(false)
  const pending = useSignal<PendingAction | null>(null)
  const run = (action: () => Promise<unknown>): void => void runAction(() => action().then(query.refetch))
  return (
    <>
      <div class="tools">
        <button type="button" class="main" onClick={() => (isNew.value = true)}>
          {text.add}
        </button>
      </div>
      <ErrorMessage error={error.value} />
      <QueryResult query={query}>
        {({ users }) => (
          <ul class="list panel">
            {users.map((user) => (
              <li key={user.userId}>
                <span>
                  +{user.phone} {user.userId === session.value?.userId && <Tag tone="grey">{messages.value.roles[user.role]}</Tag>}{' '}
                  {user.state === 'blocked' && <Tag tone="red">{text.blocked}</Tag>} {user.totp && <Tag tone="green">TOTP</Tag>}
                </span>
                {user.userId !== session.value?.userId && (
                  <UserActions
                    user={user}
                    isBusy={isBusy.value}
                    run={run}
                    onConfirmNeeded={(action) => (pending.value = { action, user })}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
      </QueryResult>
      {isNew.value && (
        <NewUser
          onClose={() => (isNew.value = false)}
          onCreated={(password) => {
            issued.value = password
            query.refetch()
          }}
        />
      )}
      {pending.value !== null && (
        <ConfirmPending
          pending={pending.value}
          onIssued={(password) => (issued.value = password)}
          onDone={query.refetch}
          onClose={() => (pending.value = null)}
        />
      )}
      {issued.value !== null && pending.value === null && (
        <Dialog title={text.issued} onClose={() => (issued.value = null)}>
          <p>{text.issuedText}</p>
          <CopyButton text={issued.value} />
        </Dialog>
      )}
    </>
  )
}

interface UserActionsProps {
  readonly user: User
  readonly isBusy: boolean
  readonly run: (action: () => Promise<unknown>) => void
  readonly onConfirmNeeded: (action: PendingAction['action']) => void
}

/** The actions for one user. Every row has the same buttons, so screen readers also get the phone number. */
function UserActions({ user: { userId, phone, role, state }, isBusy, run, onConfirmNeeded }: UserActionsProps) {
  const text = messages.value.users
  const unblock = (): void => run(() => call('dashboard.users.block', { userId, blocked: false }))
  return (
    <span class="actions">
      <RoleChoice role={role} phone={phone} onChange={(wanted) => run(() => call('dashboard.users.setRole', { userId, role: wanted }))} />
      <button type="button" disabled={isBusy} onClick={() => onConfirmNeeded('reset')}>
        {text.reset} <span class="visually-hidden">+{phone}</span>
      </button>
      <button type="button" disabled={isBusy} onClick={() => (state === 'active' ? onConfirmNeeded('block') : unblock())}>
        {state === 'active' ? text.block : text.unblock} <span class="visually-hidden">+{phone}</span>
      </button>
    </span>
  )
}

interface ConfirmPendingProps {
  readonly pending: PendingAction
  readonly onIssued: (password: string) => void
  readonly onDone: () => void
  readonly onClose: () => void
}

function ConfirmPending({ pending: { action, user }, onIssued, onDone, onClose }: ConfirmPendingProps) {
  const text = messages.value.users
  const { userId } = user
  return (
    <ConfirmDialog
      title={`${text[action]}: +${user.phone}`}
      text={text.confirm[action]}
      confirmLabel={text[action]}
      onClose={onClose}
      onConfirm={async () => {
        if (action === 'reset') onIssued((await call('dashboard.users.resetPassword', { userId })).password)
        else await call('dashboard.users.block', { userId, blocked: true })
        onDone()
      }}
    />
  )
}

function NewUser({ onClose, onCreated }: { onClose: () => void; onCreated: (password: string) => void }) {
  const text = messages.value.users
  const phone = useSignal('')
  const role = useSignal<Role>('read')
  const { isBusy, error, run } = useAction()
  const submit = async (): Promise<void> => {
    const { password } = await call('dashboard.users.create', { phone: phone.value.replace(/\D/g, ''), role: role.value })
    onClose()
    onCreated(password)
  }
  return (
    <Dialog title={text.add} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(submit)
        }}
      >
        <Field label={messages.value.signIn.phone} type="tel" value={phone.value} isRequired onInput={(value) => (phone.value = value)} />
        <RoleChoice role={role.value} onChange={(wanted) => (role.value = wanted)} />
        <ErrorMessage error={error.value} />
        <button type="submit" class="main" disabled={isBusy.value}>
          {text.add}
        </button>
      </form>
    </Dialog>
  )
}

interface RoleChoiceProps {
  readonly role: Role
  /** The user it belongs to, where there are several. */
  readonly phone?: string
  readonly onChange: (role: Role) => void
}

function RoleChoice({ role, phone, onChange }: RoleChoiceProps) {
  const name = messages.value.users.role
  return (
    <select
      aria-label={phone === undefined ? name : `${name} +${phone}`}
      value={role}
      onChange={(event) => onChange(event.currentTarget.value as Role)}
    >
      {(['read', 'support', 'developer', 'owner'] as const).map((each) => (
        <option key={each} value={each}>
          {messages.value.roles[each]}
        </option>
      ))}
    </select>
  )
}
