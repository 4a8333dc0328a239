import { useSignal } from '@preact/signals'
import type { Role } from '@tessera/contract/methods'

import { useAsk } from '../../app/ask.ts'
import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { words } from '../../app/language.ts'
import { session } from '../../app/session-state.ts'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { Tag } from '../../parts/tag.tsx'

/** The merchant's people: roles, blocking, new passwords. */
export function UsersPage() {
  const text = words.value.users
  const asked = useAsk('dashboard.users.list', {})
  const { isBusy, refused, run: attempt } = useDeed()
  const issued = useSignal<string | null>(null)
  const isNew = useSignal(false)
  const run = (deed: () => Promise<unknown>): Promise<void> => attempt(() => deed().then(asked.again))
  return (
    <>
      <div class="tools">
        <button type="button" class="main" onClick={() => (isNew.value = true)}>
          {text.add}
        </button>
      </div>
      <Refusal refused={refused.value ?? asked.refused.value} />
      <ul class="list panel">
        {asked.result.value?.users.map((user) => (
          <li key={user.userId}>
            <span>
              +{user.phone} {user.userId === session.value?.userId && <Tag tone="grey">{words.value.roles[user.role]}</Tag>}{' '}
              {user.state === 'blocked' && <Tag tone="red">{text.blocked}</Tag>} {user.totp && <Tag tone="green">TOTP</Tag>}
            </span>
            {user.userId !== session.value?.userId && (
              <span class="deeds">
                <RoleChoice
                  role={user.role}
                  onChange={(role) => void run(() => call('dashboard.users.setRole', { userId: user.userId, role }))}
                />
                <button
                  type="button"
                  disabled={isBusy.value}
                  onClick={() =>
                    void run(async () => (issued.value = (await call('dashboard.users.resetPassword', { userId: user.userId })).password))
                  }
                >
                  {text.reset}
                </button>
                <button
                  type="button"
                  disabled={isBusy.value}
                  onClick={() => void run(() => call('dashboard.users.block', { userId: user.userId, blocked: user.state === 'active' }))}
                >
                  {user.state === 'active' ? text.block : text.unblock}
                </button>
              </span>
            )}
          </li>
        ))}
      </ul>
      {isNew.value && (
        <NewUser
          onClose={() => (isNew.value = false)}
          onMade={(password) => {
            issued.value = password
            asked.again()
          }}
        />
      )}
      {issued.value !== null && (
        <Dialog title={text.issued} onClose={() => (issued.value = null)}>
          <p>{text.issuedText}</p>
          <Copy text={issued.value} />
        </Dialog>
      )}
    </>
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

function RoleChoice({ role, onChange }: { role: Role; onChange: (role: Role) => void }) {
  return (
    <select aria-label={words.value.users.role} value={role} onChange={(event) => onChange(event.currentTarget.value as Role)}>
      {(['read', 'support', 'developer', 'owner'] as const).map((each) => (
        <option key={each} value={each}>
          {words.value.roles[each]}
        </option>
      ))}
    </select>
  )
}
