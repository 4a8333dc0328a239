/**
 * Waits for the message with the code, where the browser can read it (WebOTP, https://wicg.github.io/web-otp/), and calls `onCode` with the code in it. Ends
 * with the signal. In a frame this needs `allow="otp-credentials"`, which the SDK sets, and the message has to name both hosts.
 */
export function waitForMessage(signal: AbortSignal, onCode: (code: string) => void): void {
  if (!('OTPCredential' in globalThis)) return
  const request = { otp: { transport: ['sms'] }, signal } as CredentialRequestOptions
  // Rejected when it was aborted, when the cardholder declined, and when the page does not allow it: then the code is typed.
  navigator.credentials.get(request).then(
    (credential) => {
      const { code } = (credential ?? {}) as { readonly code?: unknown }
      if (typeof code === 'string' && !signal.aborted) onCode(code)
    },
    () => undefined,
  )
}
