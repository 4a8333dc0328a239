import { choiceSetting, type AdapterSetting } from './adapter.ts'

/** How an adapter reaches its peer: with TLS, or in clear over a line that the operator declares private. */
export type Transport = 'tls' | 'private'

/**
 * The two settings of an adapter whose protocol has no TLS of its own, `transport` and `privateReason`. With `tls`, the default, the adapter must verify the
 * peer's certificate and its name. With `private` it may connect in clear, and a start is refused unless a reason is given (`findTransportFaults`), which
 * `tessera doctor` prints. Spread them under exactly these names, or as `<name>Transport` and `<name>PrivateReason` where an adapter has several peers:
 *
 *     settings: { host: textSetting('…'), ...transportSettings('the SMPP gateway') }
 */
export function transportSettings(peer: string): {
  readonly transport: AdapterSetting<Transport>
  readonly privateReason: AdapterSetting<string | null>
} {
  return {
    transport: choiceSetting(
      `How ${peer} is reached: tls verifies its certificate; private declares a line that no third party can read, without TLS, and needs a reason.`,
      { choices: ['tls', 'private'], default: 'tls' },
    ),
    privateReason: {
      row: {
        type: 'text',
        meaning: `Why the line to ${peer} needs no TLS, for the next operator and the auditor; tessera doctor prints it.`,
        default: null,
      },
      toValue: String,
      absent: null,
    },
  }
}
