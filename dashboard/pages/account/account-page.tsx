import { useSignal } from '@preact/signals'

import { useAsk } from '../../app/ask.ts'
import { call } from '../../app/call.ts'
import { words } from '../../app/language.ts'
import { endSession, session } from '../../app/session-state.ts'
import { Refusal } from '../../parts/refusal.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'

/** The user's own sessions, password and second factor. */
export function AccountPage() {
  const text = words.value.accountPage
  const isChanged = useSignal(false)
  return (
    <div class="columns">
      <section class="panel">
        <h2>{text.sessions}</h2>
        <SessionList />
      </section>
      <section class="panel">
        <h2>{words.value.password.title}</h2>
        {isChanged.value && <p role="status">{words.value.password.done}</p>}
        <PasswordForm onDone={() => void (isChanged.value = true)} />
      </section>
      <section class="panel">
        <h2>{text.secondFactor}</h2>
        <SecondFactor isOn={session.value?.totp ?? false} />
      </section>
    </div>
  )
}

function SessionList() {
  const text = words.value.accountPage
  const asked = useAsk('dashboard.session.list', {})
  const end = async (sessionId: string): Promise<void> => {
    await call('dashboard.session.signOut', { sessionId })
    asked.again()
  }
  const endAll = async (): Promise<void> => {
    await call('dashboard.session.signOutEverywhere', {})
    endSession()
  }
  return (
    <>
      <Refusal refused={asked.refused.value} onAgain={asked.again} />
      <ul class="list">
        {asked.result.value?.sessions.map(({ sessionId, current, userAgent, address, lastSeenAt }) => (
          <li key={sessionId}>
            <span>
              <span class="agent">{userAgent}</span>
              <small>
                {address} · <Time at={lastSeenAt} />
              </small>
            </span>
            {current ? (
              <Tag tone="green">{text.current}</Tag>
            ) : (
              <button type="button" onClick={() => void end(sessionId)}>
                {text.end}
              </button>
            )}
          </li>
        ))}
      </ul>
      <button type="button" class="danger" onClick={() => void endAll()}>
        {text.endAll}
      </button>
    </>
  )
}
