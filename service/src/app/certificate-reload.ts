import type { Clock } from '../clock.ts'
import type { Log } from '../ops/logging/log.ts'
import type { Metrics } from '../ops/metrics/metrics.ts'
import type { CertificateHolder } from '../server/http/listener-tls.ts'

import { TlsRefused, type TlsFiles } from './tls-files.ts'

/** A listener whose certificate can be read again. */
export interface CertificateListener {
  readonly name: 'api' | 'admin'
  /** What it uses now. */
  readonly files: TlsFiles
  /** Reads the files again; null where the settings name none. Throws `TlsRefused` when they cannot be used. */
  readonly read: () => TlsFiles | null
  readonly server: CertificateHolder
}

export interface CertificateReloadDependencies {
  readonly clock: Pick<Clock, 'now'>
  readonly log: Log
  readonly metrics: Pick<Metrics, 'registerGauge'>
}

/**
 * Returns a function that reads the certificates of the listeners again, and registers their gauges. A listener whose new files cannot be used keeps the
 * certificate that it has.
 */
export function makeCertificateReload(listeners: readonly CertificateListener[], deps: CertificateReloadDependencies): () => void {
  const { clock, log, metrics } = deps
  const states = listeners.map((listener) => ({ listener, validUntil: listener.files.validUntil, isRefused: false }))
  metrics.registerGauge({
    name: 'tessera_tls_certificate_expiry_timestamp_seconds',
    help: 'When the certificate of a listener expires, unix seconds, by listener: api or admin.',
    read: () => states.map(({ listener: { name }, validUntil }) => ({ labels: { listener: name }, value: validUntil / 1000 })),
  })
  metrics.registerGauge({
    name: 'tessera_tls_reload_refused',
    help: '1 when the files that the last SIGHUP read could not be used, and the listener continues with the certificate of before, by listener.',
    merge: 'max',
    read: () => states.map(({ listener: { name }, isRefused }) => ({ labels: { listener: name }, value: isRefused ? 1 : 0 })),
  })
  return () => {
    if (states.length === 0) log.warn('signal_ignored', { signal: 'SIGHUP' })
    states.forEach(reload)
  }

  function reload(state: (typeof states)[number]): void {
    const { name, read, server } = state.listener
    try {
      const files = read()
      if (files === null) return
      server.replaceCertificate(files)
      state.validUntil = files.validUntil
      state.isRefused = false
      log.info('certificate_loaded', { listener: name, days: daysUntil(files.validUntil) })
    } catch (err) {
      state.isRefused = true
      const reason = err instanceof TlsRefused ? err.reason : 'unusable'
      log.error('certificate_refused', { listener: name, reason, days: daysUntil(state.validUntil), err })
    }
  }

  function daysUntil(time: number): number {
    return Math.floor((time - clock.now()) / dayMs)
  }
}

const dayMs = 24 * 3_600_000
