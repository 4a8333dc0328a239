// For every report of the dashboard that shows an outcome.

/** Converts an audit reason to the `reason` of an error: `smsNotConnected` becomes `sms_not_connected`. */
export function toReasonCode(outcome: string): string {
  return reasons[outcome] ?? outcome.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

const reasons: Readonly<Record<string, string>> = Object.freeze({
  timeout: 'network_timeout',
  unavailable: 'network_unavailable',
  rejected: 'sms_not_sent',
  phoneLimit: 'send_limit_phone',
})
