import type { Setting } from './values.ts'

/** The databases of the cards and of the keys, and how they are reached. */
export const databaseSettings = [
  {
    name: 'databaseUrl',
    env: 'TESSERA_DATABASE_URL',
    flag: '--database-url',
    type: 'postgresUrl',
    default: null,
    meaning:
      'PostgreSQL to use instead of the embedded database; several hosts may be given, a primary and its standbys: the service follows the primary.',
    secret: true,
    production:
      'over TCP with sslmode=verify-full (and sslrootcert=<file> for an authority of your own), unless databaseTransport is private',
  },
  {
    name: 'keysDatabaseUrl',
    env: 'TESSERA_KEYS_DATABASE_URL',
    flag: '--keys-database-url',
    type: 'postgresUrl',
    default: null,
    meaning: 'PostgreSQL database of the wrapped data keys, apart from the backups of the cards. By default they are in databaseUrl.',
    secret: true,
    production:
      'required with databaseUrl, and a different database: a backup of the cards must not contain their keys. sslmode=verify-full, as databaseUrl',
  },
  {
    name: 'databaseWaitSeconds',
    env: 'TESSERA_DATABASE_WAIT_SECONDS',
    flag: '--database-wait-seconds',
    type: 'integer',
    from: 0,
    to: 600,
    default: 30,
    meaning: 'How long a start waits for a database that does not respond.',
    source: 'a container and its database are often started together',
  },
  {
    name: 'databaseWriters',
    env: 'TESSERA_DATABASE_WRITERS',
    flag: '--database-writers',
    type: 'integer',
    from: 1,
    to: 64,
    default: 4,
    meaning: 'Connections of one process that write to PostgreSQL, each with one COMMIT at a time and an audit chain of its own.',
    source:
      'with 1 to 8 a payment takes the same processor time, since payments that wait share a COMMIT; several go on while one waits for the disk',
  },
  {
    name: 'databaseTransport',
    env: 'TESSERA_DATABASE_TRANSPORT',
    flag: '--database-transport',
    type: 'choice',
    choices: ['tls', 'private'],
    default: 'tls',
    meaning:
      'How databaseUrl and keysDatabaseUrl are reached over TCP: tls, or private, a line that no third party can read. TLS itself is chosen by sslmode in the URL.',
    production: 'tls demands sslmode=verify-full; private needs databasePrivateReason. Unix sockets need neither',
  },
  {
    name: 'databasePrivateReason',
    env: 'TESSERA_DATABASE_PRIVATE_REASON',
    flag: '--database-private-reason',
    type: 'text',
    default: null,
    meaning: 'Why the line to the databases needs no TLS, for the next operator and the auditor; tessera doctor prints it.',
    production: 'required when databaseTransport is private',
  },
] as const satisfies readonly Setting[]
