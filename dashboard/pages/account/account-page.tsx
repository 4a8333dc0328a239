import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { clearSession, session } from '../../app/session-state.ts'
import { QueryResult, ErrorMessage } from '../../components/query-result.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'

/** The user's own sessions, password and second factor. */
export function AccountPage() {
  const text = messages.value.accountPage
  return (
    <div class="columns">
      <section class="panel">
        <h2>{text.sessions}</h2>
        <SessionList />
      </section>
      <section class="panel">
        <h2>{messages.value.password.title}</h2>
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
  const text = messages.value.accountPage
  const query = useQuery('dashboard.session.list', {})
  const { isBusy, error, run } = useAction()
  const end = async (sessionId: string): Promise<void> => {
    await call('dashboard.session.signOut', { sessionId })
    query.refetch()
  }
  const endAll = async (): Promise<void> => {
    await call('dashboard.session.signOutEverywhere', {})
    clearSession()
  }
  return (
    <>
      <QueryResult query={query}>
        {({ sessions }) => (
          <ul class="list">
            {sessions.map(({ sessionId, current, userAgent, address, lastSeenAt }) => (
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
                    <span class="visually-hidden">
                      {userAgent}, {address}, <Time at={lastSeenAt} />
                    </span>
                  </button>
                )}
              </li>
            ))}
          </ul>
        )}
      </QueryResult>
      <ErrorMessage error={error.value} />
      <button type="button" class="danger" disabled={isBusy.value} onClick={() => void run(endAll)}>
        {text.endAll}
      </button>
    </>
  )
}
