import { useSignal } from '@preact/signals'

import { Refusal } from '../parts/refusal.tsx'
import { call } from './call.ts'
import { useDeed } from './deed.ts'
import { chooseLanguage, language, languages, words } from './language.ts'
import { useLyingOver } from './lying-over.ts'
import { pathOf } from './router.ts'
import { leaveSession, session } from './session-state.ts'
import { chooseTheme, theme, type Theme } from './theme.ts'

/** Who is signed in, language, theme, and the way out. */
export function AccountMenu() {
  const text = words.value
  const isOpen = useSignal(false)
  useLyingOver(isOpen, { within: '.account', button: '.account summary' })
  return (
    <details class="account" open={isOpen.value}>
      <summary
        onClick={(event) => {
          event.preventDefault()
          isOpen.value = !isOpen.value
        }}
      >
        <span class="unseen">{text.account}</span>
        <span aria-hidden="true">{session.value?.phone.slice(-2)}</span>
      </summary>
      <div class="popup">
        <p>
          {session.value?.phone} · {session.value && text.roles[session.value.role]}
        </p>
        <Choices />
        <a href={pathOf('account')}>{text.pages.account}</a>
        <SignOut />
      </div>
    </details>
  )
}

/** Language and theme: also on the sign-in page. */
export function Choices() {
  const text = words.value
  return (
    <div class="choices">
      <label>
        <span>{text.language}</span>
        <select value={language.value} onChange={(event) => chooseLanguage(event.currentTarget.value as keyof typeof languages)}>
          {Object.entries(languages).map(([key, name]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{text.theme}</span>
        <select value={theme.value} onChange={(event) => chooseTheme(event.currentTarget.value as Theme)}>
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

/** The user is out when the service has said so: until then the cookie is good. */
function SignOut() {
  const { isBusy, refused, run } = useDeed()
  const signOut = (): Promise<void> => call('dashboard.session.signOut', {}).then(leaveSession)
  return (
    <>
      <Refusal refused={refused.value} />
      <button type="button" disabled={isBusy.value} onClick={() => void run(signOut)}>
        {words.value.signOut}
      </button>
    </>
  )
}
