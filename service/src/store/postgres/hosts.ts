/**
 * Splits a URL that names several hosts (`postgres://user:password@one:5432,two:5432/name`) into one URL per host, since the driver supports one host only.
 * Throws when it is not a PostgreSQL URL; the message never contains the URL, since that has a password.
 */
export function readHosts(url: string): readonly string[] {
  const match = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/.exec(url)
  if (match === null) throw new Error('the database URL does not start with postgres://')
  const [, before = '', hosts = '', rest = ''] = match
  const named = hosts.split(',').map((host) => host.trim())
  if (named.length > HOSTS_MAX) throw new Error(`the database URL names more than ${HOSTS_MAX} hosts`)
  if (named.length > 1 && named.includes('')) throw new Error('the database URL has a host without a name')
  return named.map((host) => before + host + rest)
}

const HOSTS_MAX = 8
