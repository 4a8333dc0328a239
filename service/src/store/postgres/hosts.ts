/**
 * Splits a URL that names several hosts (`postgres://user:word@one:5432,two:5432/name`) into one URL a host: the driver knows only one.
 * Throws when it is no PostgreSQL URL; the message never holds the URL, which has a password in it.
 */
export function readHosts(url: string): readonly string[] {
  const read = /^(postgres(?:ql)?:\/\/(?:[^@/?]*@)?)([^/?]*)(.*)$/.exec(url)
  if (read === null) throw new Error('the database URL does not start with postgres://')
  const [, before = '', hosts = '', behind = ''] = read
  const named = hosts.split(',').map((host) => host.trim())
  if (named.length > HOSTS_MAX) throw new Error(`the database URL names more than ${HOSTS_MAX} hosts`)
  if (named.length > 1 && named.includes('')) throw new Error('the database URL has a host without a name')
  return named.map((host) => before + host + behind)
}

const HOSTS_MAX = 8
