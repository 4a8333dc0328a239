import { smsErrorText } from '@tessera/contract/sms-text'

/** What a gateway says is stored in few characters and without digits that could be of a phone or a code; '' for nothing. */
export function storedSmsError(text: string | null | undefined): string {
  const given = (text ?? '').trim()
  return given === '' ? '' : smsErrorText(given, 'other')
}

/** The name of a message at its gateway: up to 64 printable ASCII characters; '' for anything else. */
export function storedGatewayId(id: string | null | undefined): string {
  return /^[!-~]{1,64}$/.test(id ?? '') ? (id ?? '') : ''
}
