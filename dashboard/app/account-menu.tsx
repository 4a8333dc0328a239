import { useSignal } from '@preact/signals'

import { ErrorMessage } from '../components/query-result.tsx'
import { useAction } from '../hooks/use-action.ts'
import { useOverlay } from '../hooks/use-overlay.ts'
import { call } from './api.ts'
import { setLanguage, language, languageNames, messages } from './language.ts'
import { dashboardPath, route } from './router.ts'
import { clearSession, session } from './session-state.ts'
import { setTheme, theme, type ColorTheme } from './theme.ts'

/** The signed-in user, preferences, and sign-out. */
export function AccountMenu() {
  const text = messages.value
  const isOpen = useSignal(false)
  useOverlay(isOpen, { within: '.account', button: '.account summary' })
  return (
    <details class="account" open={isOpen.value}>
      <summary
        onClick={(event) => {
          event.preventDefault()
          isOpen.value = !isOpen.value
        }}
      >
        <span class="visually-hidden">{text.account}</span>
        <span aria-hidden="true">{session.value?.phone.slice(-2)}</span>
      </summary>
      <div class="popup">
        <p>
          {session.value?.phone} · {session.value && text.roles[session.value.role]}
        </p>
        <Preferences />
        <a href={dashboardPath('account')} {...(route.value.page === 'account' ? { 'aria-current': 'page' as const } : {})}>
          {text.pages.account}
        </a>
        <SignOut />
      </div>
    </details>
  )
}

/** Language and theme. Also on the sign-in page. */
export function Preferences() {
  const text = messages.value
  return (
    <div class="preferences">
      <label>
        <span>{text.language}</span>
        <select value={language.value} onChange={(event) => setLanguage(event.currentTarget.value as keyof typeof languageNames)}>
          {Object.entries(languageNames).map(([key, name]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{text.theme}</span>
        <select value={theme.value} onChange={(event) => setTheme(event.currentTarget.value as ColorTheme)}>
          {(['auto', 'light', 'dark'] as const).map((key) => (
            <option key={key} value={key}>
              {text.themes[key]}
            </option>
          ))}
        </select>
      </label>
    </div>
  )
}

/** The user counts as signed out only when the service has confirmed it: until then the cookie is valid. */
function SignOut() {
  const { isBusy, error, run } = useAction()
  const signOut = (): Promise<void> => call('dashboard.session.signOut', {}).then(clearSession)
  return (
    <>
      <ErrorMessage error={error.value} />
      <button type="button" disabled={isBusy.value} onClick={() => void run(signOut)}>
        {messages.value.signOut}
      </button>
    </>
  )
}
