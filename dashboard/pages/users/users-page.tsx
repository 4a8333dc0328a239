import { useSignal } from '@preact/signals'
import type { Result, Role } from '@tessera/contract/methods'

import { useAsk } from '../../app/ask.ts'
import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { words } from '../../app/language.ts'
import { session } from '../../app/session-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { Tag } from '../../parts/tag.tsx'

type User = Result<'dashboard.users.list'>['users'][number]

/** What ends a colleague's sessions, and is asked about first. */
interface Ending {
  readonly deed: 'reset' | 'block'
  readonly of: User
}

/** The merchant's people: roles, blocking, new passwords. */
export function UsersPage() {
  const text = words.value.users
  const asked = useAsk('dashboard.users.list', {})
  const { isBusy, refused, run: attempt } = useDeed()
  const issued = useSignal<string | null>(null)
  const isNew = useSignal(false)
  const ending = useSignal<Ending | null>(null)
  const run = (deed: () => Promise<unknown>): void => void attempt(() => deed().then(asked.again))
  return (
    <>
      <div class="tools">
        <button type="button" class="main" onClick={() => (isNew.value = true)}>
          {text.add}
        </button>
      </div>
      <Refusal refused={refused.value} />
      <Answer asked={asked}>
        {(found) => (
          <ul class="list panel">
            {found.users.map((user) => (
              <li key={user.userId}>
                <span>
                  +{user.phone} {user.userId === session.value?.userId && <Tag tone="grey">{words.value.roles[user.role]}</Tag>}{' '}
                  {user.state === 'blocked' && <Tag tone="red">{text.blocked}</Tag>} {user.totp && <Tag tone="green">TOTP</Tag>}
                </span>
                {user.userId !== session.value?.userId && (
                  <Deeds user={user} isBusy={isBusy.value} run={run} onEnd={(deed) => (ending.value = { deed, of: user })} />
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      {isNew.value && (
        <NewUser
          onClose={() => (isNew.value = false)}
          onMade={(password) => {
            issued.value = password
            asked.again()
          }}
        />
      )}
      {ending.value !== null && (
        <ConfirmEnd
          ending={ending.value}
          onIssued={(password) => (issued.value = password)}
          onDone={asked.again}
          onClose={() => (ending.value = null)}
        />
      )}
      {issued.value !== null && ending.value === null && (
        <Dialog title={text.issued} onClose={() => (issued.value = null)}>
          <p>{text.issuedText}</p>
          <Copy text={issued.value} />
        </Dialog>
      )}
    </>
  )
}

interface DeedsProps {
  readonly user: User
  readonly isBusy: boolean
  readonly run: (deed: () => Promise<unknown>) => void
  readonly onEnd: (deed: Ending['deed']) => void
}

/** What is done to one user: in its name as well for those who hear the page, where every row has the same. */
function Deeds({ user: { userId, phone, role, state }, isBusy, run, onEnd }: DeedsProps) {
  const text = words.value.users
  const unblock = (): void => run(() => call('dashboard.users.block', { userId, blocked: false }))
  return (
    <span class="deeds">
      <RoleChoice {...{ role, phone }} onChange={(wanted) => run(() => call('dashboard.users.setRole', { userId, role: wanted }))} />
      <button type="button" disabled={isBusy} onClick={() => onEnd('reset')}>
        {text.reset} <span class="unseen">+{phone}</span>
      </button>
      <button type="button" disabled={isBusy} onClick={() => (state === 'active' ? onEnd('block') : unblock())}>
        {state === 'active' ? text.block : text.unblock} <span class="unseen">+{phone}</span>
      </button>
    </span>
  )
}

interface ConfirmEndProps {
  readonly ending: Ending
  readonly onIssued: (password: string) => void
  readonly onDone: () => void
  readonly onClose: () => void
}

function ConfirmEnd({ ending: { deed, of }, onIssued, onDone, onClose }: ConfirmEndProps) {
  const text = words.value.users
  const { userId } = of
  return (
    <Confirm
      {...{ title: `${text[deed]}: +${of.phone}`, text: text.ends[deed], deed: text[deed], onClose }}
      onDeed={async () => {
        if (deed === 'reset') onIssued((await call('dashboard.users.resetPassword', { userId })).password)
        else await call('dashboard.users.block', { userId, blocked: true })
        onDone()
      }}
    />
  )
}

function NewUser({ onClose, onMade }: { onClose: () => void; onMade: (password: string) => void }) {
  const text = words.value.users
  const phone = useSignal('')
  const role = useSignal<Role>('read')
  const { isBusy, refused, run } = useDeed()
  const submit = async (): Promise<void> => {
    const { password } = await call('dashboard.users.create', { phone: phone.value.replace(/\D/g, ''), role: role.value })
    onClose()
    onMade(password)
  }
  return (
    <Dialog title={text.add} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(submit)
        }}
      >
        <Field
          {...{ label: words.value.signIn.phone, type: 'tel', value: phone.value, isRequired: true }}
          onInput={(value) => (phone.value = value)}
        />
        <RoleChoice role={role.value} onChange={(wanted) => (role.value = wanted)} />
        <Refusal refused={refused.value} />
        <button type="submit" class="main" disabled={isBusy.value}>
          {text.add}
        </button>
      </form>
    </Dialog>
  )
}

interface RoleChoiceProps {
  readonly role: Role
  /** Whose it is, where there are several. */
  readonly phone?: string
  readonly onChange: (role: Role) => void
}

function RoleChoice({ role, phone, onChange }: RoleChoiceProps) {
  const name = words.value.users.role
  return (
    <select
      aria-label={phone === undefined ? name : `${name} +${phone}`}
      value={role}
      onChange={(event) => onChange(event.currentTarget.value as Role)}
    >
      {(['read', 'support', 'developer', 'owner'] as const).map((each) => (
        <option key={each} value={each}>
          {words.value.roles[each]}
        </option>
      ))}
    </select>
  )
}
