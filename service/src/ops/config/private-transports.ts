import type { Setting } from './values.ts'

/** A peer that is reached without TLS, as the operator declared. */
export interface PrivateTransport {
  /** The setting that declares it. */
  readonly env: string
  /** The operator's reason; null when none is given, which a start refuses. */
  readonly reason: string | null
}

/**
 * Every peer that the settings declare private: each setting named `…Transport` whose value is `private`, with the reason of the setting `…PrivateReason`
 * beside it. Adapters declare the pair with `transportSettings`.
 */
export function listPrivateTransports(settings: readonly Setting[], values: Readonly<Record<string, unknown>>): PrivateTransport[] {
  return settings
    .filter(({ name }) => /transport$/i.test(name) && values[name] === 'private')
    .map(({ name, env }) => {
      const reason = values[name.replace(/transport$/i, (word) => (word === 'transport' ? 'privateReason' : 'PrivateReason'))]
      return { env, reason: typeof reason === 'string' ? reason : null }
    })
}

/** Why declarations of private transports are refused, one sentence each. */
export function findTransportFaults(settings: readonly Setting[], values: Readonly<Record<string, unknown>>): string[] {
  return listPrivateTransports(settings, values)
    .filter(({ reason }) => reason === null)
    .map(
      ({ env }) => `missing: ${env.replace(/TRANSPORT$/, 'PRIVATE_REASON')} is not set; say why the line of ${env}=private needs no TLS.`,
    )
}
