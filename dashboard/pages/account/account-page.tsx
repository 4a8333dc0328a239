import { useAsk } from '../../app/ask.ts'
import { call } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { words } from '../../app/language.ts'
import { leaveSession, session } from '../../app/session-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { Tag } from '../../parts/tag.tsx'
import { Time } from '../../parts/time.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'

/** The user's own sessions, password and second factor. */
export function AccountPage() {
  const text = words.value.accountPage
  return (
    <div class="columns">
      <section class="panel">
        <h2>{text.sessions}</h2>
        <SessionList />
      </section>
      <section class="panel">
        <h2>{words.value.password.title}</h2>
        <PasswordForm />
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
  const { isBusy, refused, run } = useDeed()
  const end = async (sessionId: string): Promise<void> => {
    await call('dashboard.session.signOut', { sessionId })
    asked.again()
  }
  const endAll = async (): Promise<void> => {
    await call('dashboard.session.signOutEverywhere', {})
    leaveSession()
  }
  return (
    <>
      <Answer asked={asked}>
        {(found) => (
          <ul class="list">
            {found.sessions.map(({ sessionId, current, userAgent, address, lastSeenAt }) => (
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
                  <button type="button" disabled={isBusy.value} onClick={() => void run(() => end(sessionId))}>
                    {text.end}{' '}
                    <span class="unseen">
                      {userAgent}, {address}, <Time at={lastSeenAt} />
                    </span>
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
      <Refusal refused={refused.value} />
      <button type="button" class="danger" disabled={isBusy.value} onClick={() => void run(endAll)}>
        {text.endAll}
      </button>
    </>
  )
}
