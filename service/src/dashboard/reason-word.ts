/** The audit's word as the `reason` of an error is spelled: `smsNotConnected` is `sms_not_connected`. */
export function wordOf(outcome: string): string {
  return reasons[outcome] ?? outcome.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

const reasons: Readonly<Record<string, string>> = Object.freeze({
  timeout: 'network_timeout',
  rejected: 'sms_not_sent',
  phoneLimit: 'send_limit_phone',
})
