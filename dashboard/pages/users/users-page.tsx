import '../../app/common.ts'
import { useSignal } from '@preact/signals'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { session } from '../../app/session-state.ts'
import { ActionMenu } from '../../components/action-menu.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { ConfirmDialog, Dialog } from '../../components/dialog.tsx'
import { QueryResult, ErrorMessage } from '../../components/query-result.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { formatPhoneNumber } from '../../format/numbers.ts'
import { useAction } from '../../hooks/use-action.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { userPageText } from '../../messages/page-texts.ts'
import { type TeamUser, EditUserDialog, nameOfUser, NewUserDialog } from './user-dialogs.tsx'

/** An action that ends another user's sessions and waits for confirmation. */
interface PendingAction {
  readonly action: 'reset' | 'disable' | 'remove'
  readonly user: TeamUser
}

/** The merchant's users: who they are, what they sign in by, when they last did, and what an owner may do to them. */
export function UsersPage() {
  const loading = useMessages(userPageText)
  return loading ?? <UserList />
}

function UserList() {
  const text = userPageText.current()
  const query = useQuery('dashboard.users.list', {})
  const { isBusy, error, run: runAction } = useAction()
  const issued = useSignal<string | null>(null)
  const isNew = useSignal(false)
  const editing = useSignal<TeamUser | null>(null)
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
          <ul class="list panel users" aria-label={text.title}>
            {users.map((user) => (
              <li key={user.userId}>
                <UserSummary user={user} />
                <UserActions
                  user={user}
                  isBusy={isBusy.value}
                  run={run}
                  onEdit={() => (editing.value = user)}
                  onConfirmNeeded={(action) => (pending.value = { action, user })}
                />
              </li>
            ))}
          </ul>
        )}
      </QueryResult>
      {isNew.value && (
        <NewUserDialog
          onClose={() => (isNew.value = false)}
          onCreated={(password) => {
            issued.value = password
            query.refetch()
          }}
        />
      )}
      {editing.value !== null && (
        <EditUserDialog
          user={editing.value}
          isOwn={isOwnUser(editing.value)}
          onClose={() => (editing.value = null)}
          onSaved={query.refetch}
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

function isOwnUser({ userId }: TeamUser): boolean {
  return userId === session.value?.userId
}

/** Who it is, in the first column; how the person signs in, and when last, in the others. */
function UserSummary({ user }: { user: TeamUser }) {
  const text = userPageText.current()
  const { name, phone, role, state, totp, passkeys, mustChangePassword, lastSignInAt } = user
  const factors = [...(totp ? [text.app] : []), ...(passkeys > 0 ? [formatMessage(text.passkeys, passkeys)] : [])]
  return (
    <>
      <div class="user">
        <span class="initials" aria-hidden="true">
          {initialsOf(user)}
        </span>
        <p>
          <strong>{nameOfUser(user)}</strong> {isOwnUser(user) && <Tag tone="blue">{text.you}</Tag>}{' '}
          {state === 'blocked' && <Tag tone="red">{text.disabled}</Tag>}
          {name !== '' && <small>{formatPhoneNumber(phone)}</small>}
          {mustChangePassword && <small>{text.mustChange}</small>}
        </p>
      </div>
      <dl>
        <div>
          <dt>{text.role}</dt>
          <dd>{messages.value.roles[role]}</dd>
        </div>
        <div>
          <dt>{text.factors}</dt>
          <dd>{factors.length === 0 ? <Tag tone="amber">{text.noFactor}</Tag> : factors.join(', ')}</dd>
        </div>
        <div>
          <dt>{text.lastSignIn}</dt>
          <dd>{lastSignInAt === null ? text.never : <Time at={lastSignInAt} isShort />}</dd>
        </div>
      </dl>
    </>
  )
}

/** Of the first two words of the name, or the last digits of the phone. */
function initialsOf({ name, phone }: TeamUser): string {
  const words = name.trim().split(/\s+/)
  return name.trim() === ''
    ? phone.slice(-2)
    : words
        .slice(0, 2)
        .map((word) => String.fromCodePoint(word.codePointAt(0) ?? 0).toLocaleUpperCase())
        .join('')
}

interface UserActionsProps {
  readonly user: TeamUser
  readonly isBusy: boolean
  readonly run: (action: () => Promise<unknown>) => void
  readonly onEdit: () => void
  readonly onConfirmNeeded: (action: PendingAction['action']) => void
}

/** The actions for one user: what is needed often as a button. Every row has the same, so screen readers also get the name. The own row has the name alone. */
function UserActions({ user, isBusy, run, onEdit, onConfirmNeeded }: UserActionsProps) {
  const text = userPageText.current()
  const { userId, state } = user
  const enable = (): void => run(() => call('dashboard.users.block', { userId, blocked: false }))
  return (
    <div class="actions">
      <button type="button" disabled={isBusy} onClick={onEdit}>
        {text.edit} <span class="visually-hidden">{nameOfUser(user)}</span>
      </button>
      {!isOwnUser(user) && (
        <ActionMenu
          of={nameOfUser(user)}
          isDisabled={isBusy}
          actions={[
            { label: text.reset, onSelect: () => onConfirmNeeded('reset') },
            state === 'active'
              ? { label: text.disable, onSelect: () => onConfirmNeeded('disable') }
              : { label: text.enable, onSelect: enable },
            { label: text.remove, isDanger: true, onSelect: () => onConfirmNeeded('remove') },
          ]}
        />
      )}
    </div>
  )
}

interface ConfirmPendingProps {
  readonly pending: PendingAction
  readonly onIssued: (password: string) => void
  readonly onDone: () => void
  readonly onClose: () => void
}

function ConfirmPending({ pending: { action, user }, onIssued, onDone, onClose }: ConfirmPendingProps) {
  const text = userPageText.current()
  const { userId } = user
  return (
    <ConfirmDialog
      title={`${text[action]}: ${nameOfUser(user)}`}
      text={text.confirm[action]}
      confirmLabel={text[action]}
      onClose={onClose}
      onConfirm={async () => {
        if (action === 'reset') onIssued((await call('dashboard.users.resetPassword', { userId })).password)
        else if (action === 'disable') await call('dashboard.users.block', { userId, blocked: true })
        else await call('dashboard.users.delete', { userId })
        onDone()
      }}
    />
  )
}
