import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { call } from '../../app/api.ts'
import { messages } from '../../app/language.ts'
import { session } from '../../app/session-state.ts'
import { CopyButton } from '../../components/copy.tsx'
import { Field, PasswordField } from '../../components/fields.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { Tag } from '../../components/values.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { otpauthUri } from './otpauth-uri.ts'
import type { DrawnQrCode } from './qr-code.ts'

/** Turns the second factor on, in two steps, or off. */
export function SecondFactor({ isOn, onEnabled }: { isOn: boolean; onEnabled: (recoveryCodes: readonly string[]) => void }) {
  const text = messages.value.totp
  const password = useSignal('')
  const code = useSignal('')
  const secret = useSignal<string | null>(null)
  const { isBusy, error, run } = useAction()
  const isPending = !isOn && secret.value !== null
  /** Clears the inputs: a code works only once. */
  const proceed = (next: string | null): void => {
    secret.value = next
    password.value = code.value = ''
  }
  const begin = async (): Promise<void> => proceed((await call('dashboard.totp.begin', { password: password.value })).secret)
  const confirm = async (): Promise<void> => {
    const { recoveryCodes } = await call('dashboard.totp.confirm', { code: code.value })
    setTotp(true)
    proceed(null)
    onEnabled(recoveryCodes)
  }
  const remove = async (): Promise<void> => {
    await call('dashboard.totp.remove', { password: password.value })
    setTotp(false)
    proceed(null)
  }
  const cancel = async (): Promise<void> => proceed(null)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        void run(isOn ? remove : isPending ? confirm : begin)
      }}
    >
      <p>
        <Tag tone={isOn ? 'green' : 'grey'}>{isOn ? text.on : text.off}</Tag>
      </p>
      {isPending && <AuthenticatorSecret secret={secret.value ?? ''} />}
      {!isPending && <PasswordField label={messages.value.password.current} value={password} />}
      {isPending && (
        <Field
          label={messages.value.signIn.code}
          value={code.value}
          onInput={(value) => (code.value = value)}
          inputMode="numeric"
          autocomplete="one-time-code"
          isRequired
          maxLength={6}
          hasFocus={isPending}
        />
      )}
      <ErrorMessage error={error.value} />
      <div class="actions">
        <button type="submit" disabled={isBusy.value}>
          {isOn ? text.turnOff : text.turnOn}
        </button>
        {isPending && (
          <button type="button" disabled={isBusy.value} onClick={() => void run(cancel)}>
            {messages.value.cancel}
          </button>
        )}
      </div>
    </form>
  )
}

/** The secret for an app on a phone, as a code, and for one on this device, as a link and as text. */
function AuthenticatorSecret({ secret }: { secret: string }) {
  const text = messages.value.totp
  const { merchantName = '', phone = '' } = session.value ?? {}
  const uri = otpauthUri(secret, { merchantName, phone })
  const code = useSignal<DrawnQrCode | null>(null)
  // Without it, as without a connection, the text is there.
  useEffect(() => void import('./qr-code.ts').then(({ drawQrCode }) => (code.value = drawQrCode(uri))).catch(() => undefined), [uri])
  return (
    <div class="authenticator">
      {code.value !== null && <QrCode code={code.value} label={text.qr} />}
      <div>
        <p>{text.scan}</p>
        <p>
          <a href={uri}>{text.openApp}</a>
        </p>
        <p>
          {text.secret} <CopyButton text={secret} />
        </p>
      </div>
    </div>
  )
}

/** Dark on white in both themes, as readers expect it. */
function QrCode({ code: { size, path }, label }: { code: DrawnQrCode; label: string }) {
  return (
    <svg class="qr" viewBox={`0 0 ${String(size)} ${String(size)}`} role="img" aria-label={label} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

/** Updates the session without loading it again. */
function setTotp(totp: boolean): void {
  const current = session.peek()
  if (current) session.value = { ...current, totp }
}
