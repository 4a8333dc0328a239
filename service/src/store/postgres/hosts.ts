/**
 * Splits a URL that names several hosts (`postgres://user:password@one:5432,two:5432/name`) into one URL per host, since the driver supports one host only.
 * Throws when it is not a PostgreSQL URL; the message never contains the URL, since that has a password.
 */
export function readHosts(url: string): readonly string[] {
  const { before, hosts, rest } = splitUrl(url)
  const named = hosts.split(',').map((host) => host.trim())
  if (named.length > HOSTS_MAX) throw new Error(`the database URL names more than ${HOSTS_MAX} hosts`)
  if (named.length > 1 && named.includes('')) throw new Error('the database URL has a host without a name')
  return named.map((host) => before + host + rest)
}

/** The host of a URL with one host, as an operator writes it: `db1:5432`. Without user, password and database. */
export function hostLabel(url: string): string {
  const { hosts, rest } = splitUrl(url)
  if (hosts === '') return new URLSearchParams(rest.split('?')[1] ?? '').get('host') ?? 'localhost'
  return /:\d+$/.test(hosts) ? hosts : `${hosts}:5432`
}

/** The transport that a URL names, as the driver reads it: a repeated parameter counts by its last value. */
export interface PostgresTransport {
  /** False when every host is a folder of a Unix socket. */
  readonly isOverTcp: boolean
  /** `verify-full` verifies the server's certificate and its name. */
  readonly sslMode: string | null
  /** The file of the authority that signed the server's certificate; null for the public ones. */
  readonly rootCertificate: string | null
}

/** Reads the transport of a URL of one or several hosts. Throws when it is not a PostgreSQL URL. */
export function readTransport(url: string): PostgresTransport {
  const { hosts, rest } = splitUrl(url)
  const parameters = new URLSearchParams(rest.split('?')[1] ?? '')
  const last = (name: string): string | null => parameters.getAll(name).at(-1) ?? null
  const named = last('host') === null ? hosts.split(',') : [last('host') ?? '']
  return {
    isOverTcp: !named.every((host) => /^(?:\/|%2f)/i.test(host.trim())),
    sslMode: last('sslmode'),
    rootCertificate: last('sslrootcert'),
  }
}

function splitUrl(url: string): { before: string; hosts: string; rest: string } {
  const match = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/.exec(url)
  if (match === null) throw new Error('the database URL does not start with postgres://')
  const [, before = '', hosts = '', rest = ''] = match
  return { before, hosts, rest }
}

const HOSTS_MAX = 8
