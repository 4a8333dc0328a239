/** Who the secret is for, as an authenticator app lists it. */
export interface AuthenticatorAccount {
  readonly merchantName: string
  /** Digits, or masked. */
  readonly phone: string
}

/** The secret as authenticator apps read it from a QR code. Issuer and account are labels; a colon separates them, so there is none inside. */
export function otpauthUri(secret: string, { merchantName, phone }: AuthenticatorAccount): string {
  const account = encodeURIComponent(`${merchantName} ${phone}`.replaceAll(':', ' '))
  return `otpauth://totp/Tessera:${account}?secret=${secret}&issuer=Tessera`
}
