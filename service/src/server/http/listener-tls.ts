import { constants } from 'node:crypto'
import { createSecureContext, type SecureContextOptions, type TlsOptions } from 'node:tls'

/** What a listener proves who it is with; PEM. */
export interface ListenerTls {
  /** The certificate, followed by those of its intermediate authorities. */
  readonly certificate: Buffer
  readonly key: Buffer
}

/** A server whose certificate can be replaced while it runs: new connections use the new one, open ones continue. */
export interface CertificateHolder {
  replaceCertificate(tls: ListenerTls): void
}

/** The certificate and the versions and ciphers of TLS that are accepted: to create a server with, and to replace its certificate. */
export function secureContextOf({ certificate, key }: ListenerTls): SecureContextOptions {
  return { cert: certificate, key, minVersion: 'TLSv1.2', ciphers, honorCipherOrder: true, secureOptions }
}

/** The options of a TLS server. `handshakeMs`: a client that has not completed its handshake by then is disconnected. */
export function tlsServerOptions(tls: ListenerTls, handshakeMs: number): TlsOptions {
  return { ...secureContextOf(tls), handshakeTimeout: handshakeMs }
}

/** Throws the error of OpenSSL when it does not take the certificate or its key, such as one that is too short. */
export function requireUsableTls(tls: ListenerTls): void {
  createSecureContext(secureContextOf(tls))
}

/** TLS 1.3, and of TLS 1.2 only suites with forward secrecy and authenticated encryption (RFC 9325 §4.2). */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':')

/** SSL_OP_CLEANSE_PLAINTEXT, which node:crypto does not name: OpenSSL wipes the records that it decrypted, which have card numbers in them. */
const cleansePlaintext = 0x2
const secureOptions = constants.SSL_OP_NO_RENEGOTIATION | cleansePlaintext
