/**
 * The key store is not the one with which the database was written: it is empty, another's or an older one, or the database is another's. Nothing that is
 * stored can be used then. The message says what was found and what to do, for the person who starts the service.
 */
export class KeyStoreMismatch extends Error {
  override readonly name = 'KeyStoreMismatch'
  readonly code = 'key_store_mismatch'
  /** What was found, one sentence without its period. */
  readonly finding: string

  constructor(finding: string) {
    super(`key_store_mismatch: ${finding}. ${keyStoreAdvice}`)
    this.finding = finding
  }
}

/** What to do about it. */
export const keyStoreAdvice =
  'Check that TESSERA_DATA, TESSERA_DATABASE_URL and TESSERA_KEYS_DATABASE_URL name a database and its own key store. ' +
  'If the key store was restored from an old backup, put the newest back. If the key store is lost, the cards cannot be ' +
  'decrypted any more: start with an empty database, an empty key store and an empty data folder.'
