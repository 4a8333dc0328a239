import { useEffect, useRef } from 'preact/hooks'

import { EmptyState, ErrorMessage, Loading } from '../components/query-result.tsx'
import { useAction } from '../hooks/use-action.ts'
import { MustAddSecondFactor } from '../pages/account/account-page.tsx'
import { ConfirmIdentity } from '../pages/account/confirm-identity.tsx'
import { PasswordForm } from '../pages/account/password-form.tsx'
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx'
import { call, type DashboardCallError } from './api.ts'
import { CardNumberNotice } from './card-number-notice.tsx'
import { messages } from './language.ts'
import { loadSession } from './load-session.ts'
import { pages } from './pages.ts'
import { objectTitle } from './object-title.ts'
import { dashboardPath, navigate, route } from './router.ts'
import { SessionEndNotice } from './session-end-notice.tsx'
import { hasSessionExpired, session } from './session-state.ts'
import { Shell } from './shell.tsx'
import { SignInAgain } from './sign-in-again.tsx'

/** The whole dashboard: the sign-in page, the change of a temporary password, or a page in its shell. */
export function DashboardApp() {
  const { error, run } = useAction()
  const load = (): Promise<void> => run(loadSession)
  useEffect(() => void load(), [])
  const current = session.value
  if (current === undefined)
    return error.value === null ? (
      <p class="page-loading" aria-busy="true" />
    ) : (
      <SessionUnavailable error={error.value} onRetry={() => void load()} />
    )
  if (current === null) return <SignInPage onDone={load} />
  if (current.mustChangePassword) return <MustChangePassword onDone={load} />
  if (current.mustAddSecondFactor) {
    return (
      <>
        <MustAddSecondFactor onDone={load} />
        <ConfirmIdentity />
      </>
    )
  }
  return (
    <>
      <Shell key={current.userId}>{<Page />}</Shell>
      <CardNumberNotice />
      {hasSessionExpired.value ? <SignInAgain /> : <SessionEndNotice />}
      <ConfirmIdentity />
    </>
  )
}

function Page() {
  const { page, rest, hidden } = route.value
  const object = objectTitle.value
  useFocusOnPage([page, ...rest, hidden['customer'] ?? ''].join('/'))
  const row = pages.find(({ name, isTestOnly }) => name === page && (isTestOnly !== true || session.value?.environment === 'test'))
  useEffect(() => {
    document.title = row === undefined ? 'Tessera' : `${object?.title ?? messages.value.pages[row.name]} · Tessera`
  }, [page, row, object, messages.value])
  if (page === '') return <Landing />
  if (row === undefined) return <EmptyState title={messages.value.noPage.title} text={messages.value.noPage.text} />
  const { component: Component } = row
  return (
    <>
      {object !== null && object.heading !== null && (
        <p class="breadcrumbs">
          <a href={dashboardPath(row.name)}>{messages.value.pages[row.name]}</a> <span aria-hidden="true">›</span>
        </p>
      )}
      <h1>{object?.heading ?? messages.value.pages[row.name]}</h1>
      <Component key={page} />
    </>
  )
}

/** After signing in: Get started until the merchant's first payment, then the overview. */
function Landing() {
  useEffect(() => {
    const open = (name: 'start' | 'overview'): void => navigate(name, { replace: true })
    call('dashboard.start.get', {}).then(
      ({ checklist }) => open(checklist.paid === 'done' ? 'overview' : 'start'),
      // The page that opens says what is wrong.
      () => open('overview'),
    )
  }, [])
  return <Loading />
}

/** Moves the focus to the content on navigation, as loading a document does: a screen reader announces the page, and Tab starts there. */
function useFocusOnPage(path: string): void {
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    document.getElementById('page')?.focus({ preventScroll: true })
  }, [path])
}

/** The session could not be loaded, which is no reason to ask for a password. */
function SessionUnavailable({ error, onRetry }: { error: DashboardCallError; onRetry: () => void }) {
  return (
    <main class="signed-out">
      <h1>Tessera</h1>
      <ErrorMessage error={error} onRetry={onRetry} />
    </main>
  )
}

function MustChangePassword({ onDone }: { onDone: () => Promise<void> }) {
  return (
    <main class="signed-out">
      <h1>{messages.value.firstPassword.title}</h1>
      <p>{messages.value.firstPassword.text}</p>
      <PasswordForm onDone={onDone} />
    </main>
  )
}
