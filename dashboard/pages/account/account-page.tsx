import '../../app/common.ts'
import { useSignal } from '@preact/signals'

import { call } from '../../app/api.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { messages } from '../../app/language.ts'
import { clearSession, session } from '../../app/session-state.ts'
import { QueryResult, ErrorMessage } from '../../components/query-result.tsx'
import { Tag, Time } from '../../components/values.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { accountPageText } from '../../messages/page-texts.ts'
import { Passkeys } from './passkeys.tsx'
import { RecoveryCodesDialog, RecoveryCodes } from './recovery-codes.tsx'
import { PasswordForm } from './password-form.tsx'
import { SecondFactor } from './second-factor.tsx'
import { kindOfAddress, readUserAgent } from './session-words.ts'

/** The user's own sessions, password, second factor, passkeys and recovery codes. */
export function AccountPage() {
  const loading = useMessages(accountPageText)
  const text = messages.value.accountPage
  if (loading !== null) return loading
  return (
    <div class="columns">
      <section class="panel sessions">
        <h2>{text.sessions}</h2>
        <SessionList />
      </section>
      <section class="panel">
        <h2>{messages.value.password.title}</h2>
        <PasswordForm />
      </section>
      <FactorPanels />
    </div>
  )
}

/** Shown in place of all pages until the user has a second factor, where the merchant requires one. */
export function MustAddSecondFactor({ onDone }: { onDone: () => Promise<void> }) {
  const loading = useMessages(accountPageText)
  if (loading !== null) return <main class="signed-out">{loading}</main>
  return (
    <main class="must-add">
      <h1>{accountPageText.current().mustAddTitle}</h1>
      <p>{accountPageText.current().mustAddText}</p>
      <div class="columns">
        <FactorPanels onAdded={onDone} />
      </div>
    </main>
  )
}

function FactorPanels({ onAdded }: { onAdded?: () => Promise<void> }) {
  const text = accountPageText.current()
  const codesLeft = useQuery('dashboard.recoveryCodes.get', {})
  const newCodes = useSignal<readonly string[]>([])
  const showCodes = (codes: readonly string[]): void => {
    newCodes.value = codes
    codesLeft.refetch()
    if (codes.length === 0) void onAdded?.()
  }
  const close = (): void => {
    newCodes.value = []
    void onAdded?.()
  }
  return (
    <>
      <section class="panel">
        <h2>{messages.value.accountPage.secondFactor}</h2>
        <SecondFactor isOn={session.value?.totp ?? false} onEnabled={showCodes} />
      </section>
      <section class="panel">
        <h2>{text.passkeys}</h2>
        <Passkeys onAdded={showCodes} />
      </section>
      {onAdded === undefined && (
        <section class="panel">
          <h2>{text.recoveryCodes}</h2>
          <RecoveryCodes query={codesLeft} onCodes={showCodes} />
        </section>
      )}
      {newCodes.value.length > 0 && <RecoveryCodesDialog codes={newCodes.value} onClose={close} />}
    </>
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
                  <span class="agent" title={userAgent}>
                    {browserWords(userAgent)}
                  </span>
                  <small>
                    {addressWords(address)} · {accountPageText.current().lastSeen} <Time at={lastSeenAt} />
                  </small>
                </span>
                {current ? (
                  <Tag tone="green">{text.current}</Tag>
                ) : (
                  <button type="button" disabled={isBusy.value} onClick={() => void run(() => end(sessionId))}>
                    {text.end}{' '}
                    <span class="visually-hidden">
                      {browserWords(userAgent)}, {address}, <Time at={lastSeenAt} />
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

/** `Chrome 142 on Windows`; the header itself where the browser is not known. */
function browserWords(userAgent: string): string {
  const text = accountPageText.current()
  const { browser, system } = readUserAgent(userAgent)
  if (browser === null) return userAgent === '' ? text.unknownBrowser : userAgent
  return system === null ? browser : formatMessage(text.browserOn, browser, system)
}

function addressWords(address: string): string {
  const kind = kindOfAddress(address)
  return kind === 'internet' ? address : formatMessage(accountPageText.current().addressKinds[kind], address)
}
