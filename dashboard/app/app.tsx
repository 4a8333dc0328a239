import { useEffect, useRef } from 'preact/hooks'

import { PasswordForm } from '../pages/account/password-form.tsx'
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx'
import { Empty } from '../parts/empty.tsx'
import { Refusal } from '../parts/refusal.tsx'
import type { Refused } from './call.ts'
import { useDeed } from './deed.ts'
import { words } from './language.ts'
import { loadSession } from './load-session.ts'
import { pages } from './pages.ts'
import { go, place } from './router.ts'
import { session } from './session-state.ts'
import { Shell } from './shell.tsx'

/** The whole dashboard: signed out, with an issued password, or on a page. */
export function App() {
  const { refused, run } = useDeed()
  const load = (): Promise<void> => run(loadSession)
  useEffect(() => void load(), [])
  const now = session.value
  if (now === undefined)
    return refused.value === null ? <p class="waiting" aria-busy="true" /> : <NotTold refused={refused.value} onAgain={() => void load()} />
  if (now === null) return <SignInPage onDone={load} />
  if (now.mustChangePassword) return <MustChange onDone={load} />
  return <Shell>{<Page />}</Shell>
}

function Page() {
  const { page, rest } = place.value
  useFocusOnPage([page, ...rest].join('/'))
  const row = pages.find(({ name, testOnly }) => name === page && (testOnly !== true || session.value?.environment === 'test'))
  useEffect(() => {
    if (page === '') go('cards', { replace: true })
    document.title = row === undefined ? 'Tessera' : `${words.value.pages[row.name]} · Tessera`
  }, [page, row, words.value])
  if (page === '') return null
  if (row === undefined) return <Empty title={words.value.noPage.title} text={words.value.noPage.text} />
  const { show: Show } = row
  return (
    <>
      <h1>{words.value.pages[row.name]}</h1>
      <Show key={page} />
    </>
  )
}

/** The focus goes along to another page, as it does when a document is loaded: a screen reader says where one is, Tab begins there. */
function useFocusOnPage(path: string): void {
  const shown = useRef(path)
  useEffect(() => {
    if (shown.current === path) return
    shown.current = path
    document.getElementById('page')?.focus({ preventScroll: true })
  }, [path])
}

/** Nobody can tell yet who is signed in: no reason to ask for a password. */
function NotTold({ refused, onAgain }: { refused: Refused; onAgain: () => void }) {
  return (
    <main class="door">
      <h1>Tessera</h1>
      <Refusal refused={refused} onAgain={onAgain} />
    </main>
  )
}

function MustChange({ onDone }: { onDone: () => Promise<void> }) {
  return (
    <main class="door">
      <h1>{words.value.mustChange.title}</h1>
      <p>{words.value.mustChange.text}</p>
      <PasswordForm onDone={onDone} />
    </main>
  )
}
