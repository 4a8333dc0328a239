/** What a gateway says is stored in few characters and without runs of digits, among which a phone could be. */
export function storedSmsError(text: string | null | undefined): string {
  const line = (text ?? '').trim()
  return /^[\w .:-]{0,64}$/.test(line) && !/\d{7}/.test(line) ? line : 'other'
}

/** The name of a message at its gateway: up to 64 printable ASCII characters; '' for anything else. */
export function storedGatewayId(id: string | null | undefined): string {
  return /^[!-~]{1,64}$/.test(id ?? '') ? (id ?? '') : ''
}
