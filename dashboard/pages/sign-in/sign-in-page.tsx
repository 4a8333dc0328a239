import { useSignal } from '@preact/signals'
import type { Params, Result } from '@tessera/contract/operations'
import { useEffect, useRef } from 'preact/hooks'

import { Preferences } from '../../app/account-menu.tsx'
import { call, DashboardCallError } from '../../app/api.ts'
import { getPasskey, hasPasskeys } from '../../app/passkey.ts'
import { messages } from '../../app/language.ts'
import { hasSessionExpired } from '../../app/session-state.ts'
import { solveProof } from '../../app/solve-proof.ts'
import { Field, PasswordField } from '../../components/fields.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { attemptSignIn, type SignInReply, type SignInStage } from './sign-in-attempt.ts'

/**
 * Phone and password, then a code or a passkey if there is a second factor; or a passkey alone; or password and code together for a phone that is locked for
 * unknown devices. While many sign in at once it says what it is doing, and can be cancelled.
 */
export function SignInPage({ onDone, isAgain = false }: SignInPageProps) {
  const text = messages.value.signIn
  const phone = useSignal('')
  const password = useSignal('')
  const code = useSignal('')
  const asks = useSignal<'password' | 'code' | 'all'>('password')
  const lockedMinutes = useSignal(0)
  /** A verified passkey that replaces the password and still needs a code. */
  const verifiedPasskey = useSignal<Params<'dashboard.session.signInByPasskey'>['passkey'] | null>(null)
  /** The passkeys that can be the second factor. */
  const request = useSignal<Result<'dashboard.session.signIn'>['passkey']>(null)
  const hasPasskeyFactor = useSignal(false)
  const stage = useSignal<SignInStage>(null)
  const cancelled = useRef<AbortController | null>(null)
  const hasTotp = useSignal(true)
  /** The password, or a recovery code, is asked for beside a synced passkey. */
  const isPasswordFactor = useSignal(false)
  const { isBusy, error, run } = useAction()
  useEffect(() => () => cancelled.current?.abort(), [])

  const finish = async ({ needs, passkey }: SignInReply): Promise<void> => {
    if (needs !== null) {
      request.value = passkey
      hasPasskeyFactor.value = passkey !== null
      hasTotp.value = needs === 'totp'
      isPasswordFactor.value = needs === 'password'
      asks.value = 'code'
      return
    }
    await onDone()
    hasSessionExpired.value = false
  }
  const credentials = () => ({ phone: phone.value.replace(/\D/g, ''), password: password.value })
  const signIn = (params: Params<'dashboard.session.signIn'>, signal: AbortSignal): Promise<SignInReply> =>
    attemptSignIn(params, {
      call: (each) => call('dashboard.session.signIn', each, { signal }),
      solve: (challenge, onProgress) => solveProof(challenge, { signal, onProgress }),
      retryAfterMs: (err) => (isReason(err, 'overloaded') ? (err.body.retry_after ?? 1000) : null),
      sleep: (ms) => sleep(ms, signal),
      onStage: (next) => (stage.value = next),
    })
  /** Runs what may take a while, until it ends or is cancelled. */
  const inLine = async (action: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    const controller = new AbortController()
    cancelled.current = controller
    const slow = setTimeout(() => (stage.value ??= { kind: 'waiting' }), slowMs)
    try {
      await action(controller.signal)
    } catch (err) {
      if (controller.signal.aborted) return
      if (!isReason(err, 'sign_in_locked')) throw err
      lockedMinutes.value = Math.ceil((err.body.retry_after ?? 0) / 60_000)
      hasPasskeyFactor.value = false
      hasTotp.value = true
      asks.value = 'all'
    } finally {
      clearTimeout(slow)
      stage.value = null
    }
  }
  const submit = (): Promise<void> =>
    inLine(async (signal) => {
      const isPasswordGiven = isPasswordFactor.value && code.value.trim() === ''
      const entered = asks.value === 'password' ? {} : isPasswordGiven ? { password: password.value } : { code: code.value.trim() }
      const passkey = verifiedPasskey.value
      await finish(
        passkey === null
          ? await signIn({ ...credentials(), ...entered }, signal)
          : await call('dashboard.session.signInByPasskey', { passkey, ...entered }),
      )
    })
  /** Before the code: in place of phone and password. After: as the second factor. */
  const submitPasskey = async (): Promise<void> => {
    if (asks.value === 'code') {
      await inLine(async (signal) => {
        // Each challenge is accepted once, so a second try needs another.
        const { passkey } = request.value === null ? await signIn(credentials(), signal) : { passkey: request.value }
        request.value = null
        if (passkey !== null) await finish(await signIn({ ...credentials(), passkey: await getPasskey(passkey) }, signal))
      })
      return
    }
    const passkey = await getPasskey((await call('dashboard.session.passkeyChallenge', {})).passkey)
    const signed = await call('dashboard.session.signInByPasskey', { passkey })
    verifiedPasskey.value = signed.needs === null ? null : passkey
    await finish(signed)
  }
  const isPasskeyOffered = hasPasskeys() && (asks.value === 'code' ? hasPasskeyFactor.value : true)
  const goBack = async (): Promise<void> => {
    asks.value = 'password'
    code.value = ''
    verifiedPasskey.value = null
    isPasswordFactor.value = false
  }
  /** A user who has no authenticator. */
  const isPasskeyFirst = isPasskeyOffered && asks.value === 'code' && !hasTotp.value
  const passkeyButton = isPasskeyOffered && (
    <button type="button" class={isPasskeyFirst ? 'main' : ''} disabled={isBusy.value} onClick={() => void run(submitPasskey)}>
      {text.passkey}
    </button>
  )
  const Root = isAgain ? 'div' : 'main'
  return (
    <Root class="signed-out">
      <span class="brand">
        <i aria-hidden="true" />
        Tessera
      </span>
      <h1>{asks.value === 'code' ? text.codeTitle : asks.value === 'all' ? text.lockedTitle : text.title}</h1>
      {hasSessionExpired.value && <p role="status">{isAgain ? text.endedHere : text.ended}</p>}
      {asks.value === 'all' && <LockedNotice minutes={lockedMinutes.value} />}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void run(submit)
        }}
      >
        {isPasskeyFirst && passkeyButton}
        {asks.value !== 'code' && (
          <>
            <Field
              label={text.phone}
              type="tel"
              value={phone.value}
              onInput={(value) => (phone.value = value)}
              hint={text.phoneHint}
              autocomplete="username"
              isRequired
              hasFocus={asks.value === 'password'}
            />
            <PasswordField label={text.password} value={password} />
          </>
        )}
        {isPasswordFactor.value && (
          <Field
            label={text.password}
            type="password"
            value={password.value}
            onInput={(value) => (password.value = value)}
            autocomplete="current-password"
            maxLength={128}
            hasFocus
          />
        )}
        {asks.value !== 'password' && (
          <Field
            label={hasTotp.value ? text.code : text.recoveryCode}
            value={code.value}
            onInput={(value) => (code.value = value)}
            {...(hasTotp.value ? { hint: text.codeHint } : {})}
            autocomplete="one-time-code"
            maxLength={24}
            isRequired={!isPasswordFactor.value}
            hasFocus={!isPasskeyFirst && !isPasswordFactor.value}
          />
        )}
        <ErrorMessage error={error.value} />
        <Progress stage={stage.value} />
        <div class="actions">
          <button type="submit" class={isPasskeyFirst ? '' : 'main'} disabled={isBusy.value}>
            {text.submit}
          </button>
          {stage.value !== null && (
            <button type="button" onClick={() => cancelled.current?.abort()}>
              {text.cancel}
            </button>
          )}
          {asks.value !== 'password' && stage.value === null && (
            <button type="button" disabled={isBusy.value} onClick={() => void run(goBack)}>
              {text.back}
            </button>
          )}
        </div>
        {!isPasskeyFirst && passkeyButton}
      </form>
      <Preferences />
    </Root>
  )
}

export interface SignInPageProps {
  readonly onDone: () => Promise<void>
  /** In place of a page whose session has ended. */
  readonly isAgain?: boolean
}

function LockedNotice({ minutes }: { minutes: number }) {
  const text = messages.value.signIn
  return (
    <div class="notice" role="alert">
      <p>{text.locked}</p>
      <ul>
        <li>{text.lockedFactor}</li>
        <li>{text.lockedDevice}</li>
        <li>{text.lockedWait(minutes)}</li>
      </ul>
    </div>
  )
}

/** A screen reader says the sentence when it changes, and not each step of the bar. */
function Progress({ stage }: { stage: SignInStage }) {
  const text = messages.value.signIn
  return (
    <div class="sign-in-progress">
      <p role="status">{stage === null ? '' : stage.kind === 'solving' ? text.solving : text.waiting}</p>
      {stage?.kind === 'solving' && <progress max={1} value={stage.share} aria-label={text.solvingLabel} />}
    </div>
  )
}

function isReason(err: unknown, reason: string): err is DashboardCallError {
  return err instanceof DashboardCallError && err.body.reason === reason
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new DOMException('', 'AbortError'))
    })
  })
}

/** A password is evaluated in less; a user who waits longer wants to know why. */
const slowMs = 1500
