/**
 * The audit of the database says that its rows were signed, and the key store does not know it. Either it is another key store, or the mark was deleted
 * so that rows without a MAC would be signed. The message says what to do, for the person who starts the service.
 */
export class KeyStoreMismatch extends Error {
  override readonly name = 'KeyStoreMismatch'
  readonly code = 'key_store_mismatch'

  constructor() {
    super(
      'key_store_mismatch: the audit says that the rows of this database were signed, but its key store does not know it. ' +
        'Check that TESSERA_DATA, TESSERA_DATABASE_URL and TESSERA_KEYS_DATABASE_URL name a database and its own key store. ' +
        'If the key store was restored from an old backup, put the newest back. If the key store is lost, the cards cannot be ' +
        'decrypted any more: start with an empty database and an empty key store.',
    )
  }
}
