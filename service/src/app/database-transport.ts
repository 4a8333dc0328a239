import { accessSync, constants } from 'node:fs'

import type { Config } from '../ops/config/config.ts'
import { hostLabel, readHosts, readTransport } from '../store/postgres/hosts.ts'

type DatabaseSettings = Pick<Config, 'databaseUrl' | 'keysDatabaseUrl' | 'databaseTransport'>

/** Why production refuses how the databases are reached; one sentence for each URL. Over TCP it demands TLS with a verified certificate and name. */
export function findDatabaseTransportFaults({ databaseUrl, keysDatabaseUrl, databaseTransport }: DatabaseSettings): string[] {
  const urls = [
    ['TESSERA_DATABASE_URL', databaseUrl],
    ['TESSERA_KEYS_DATABASE_URL', keysDatabaseUrl],
  ] as const
  return urls.flatMap(([env, url]) => (url === null ? [] : findUrlFaults(env, url, databaseTransport)))
}

function findUrlFaults(env: string, url: string, declared: DatabaseSettings['databaseTransport']): string[] {
  const { isOverTcp, sslMode, rootCertificate } = readTransport(url)
  if (!isOverTcp) return []
  if (rootCertificate !== null && !isReadable(rootCertificate)) {
    return [`forbidden: the file of sslrootcert in ${env}, ${rootCertificate}, cannot be read by this user.`]
  }
  if (sslMode === 'verify-full' || declared === 'private') return []
  const found = sslMode === null ? 'has no sslmode' : `has sslmode=${sslMode.slice(0, 20)}`
  return [
    `forbidden: ${env} is reached over TCP and ${found}; add sslmode=verify-full, or declare the line with TESSERA_DATABASE_TRANSPORT=private.`,
  ]
}

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}

/** Whether two URLs name one database, be it by another user, with other parameters, or with other hosts beside one that both have. */
export function isSameDatabase(one: string, other: string): boolean {
  const [places, others] = [listPlaces(one), listPlaces(other)]
  return one === other || places.some((place) => others.includes(place))
}

/** A host with its port and the database, for each host of a URL. */
function listPlaces(url: string): string[] {
  return readHosts(url).map((each) => {
    const [, database = ''] = /^[^:]+:\/\/[^/?]*(\/[^?]*)?/.exec(each) ?? []
    return `${hostLabel(each).toLowerCase()}${decode(database)}`
  })
}

/** A name that is no valid percent-encoding is refused by the driver. */
function decode(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
