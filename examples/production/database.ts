import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findServerUser, startCluster, type Cluster } from '../../tools/postgres.ts'
import type { ExampleAuthority } from './certificates.ts'
import { startDatabaseRelay, type DatabaseRelay } from './database-relay.ts'

/** PostgreSQL with two databases, which takes nothing but TLS and a password over TCP. */
export interface ProductionDatabase {
  readonly cluster: Cluster
  /** Between the service and the cluster. */
  readonly relay: DatabaseRelay
  /** What somebody does who can write the database of the cards behind the service's back. Returns the number of rows. */
  write: (statement: string, values: readonly unknown[]) => Promise<number>
  /** `postgres://…?sslmode=verify-full&sslrootcert=…`, with the password, by the relay. */
  readonly cardsUrl: string
  readonly keysUrl: string
  stop: () => Promise<void>
}

export async function startDatabase(authority: ExampleAuthority): Promise<ProductionDatabase> {
  const issued = authority.issue('database', ['db.provider.example'])
  const user = findServerUser()
  // A folder of the server's own: it runs as another user than root, and refuses a key that anybody else could read.
  const own = mkdtempSync(join(tmpdir(), 'tessera-database-'))
  if (user !== null) chownSync(own, user.uid, user.gid)
  const serverFile = (from: string, name: string): string => {
    const path = join(own, name)
    copyFileSync(from, path)
    chmodSync(path, 0o600)
    if (user !== null) chownSync(path, user.uid, user.gid)
    return path
  }
  const settings = {
    ssl: 'on',
    ssl_min_protocol_version: 'TLSv1.2',
    ssl_cert_file: serverFile(issued.certFile, 'server.pem'),
    ssl_key_file: serverFile(issued.keyFile, 'server.key'),
  }
  const cluster = await startCluster({ settings })
  const password = randomBytes(16).toString('hex')
  const admin = new pg.Client({ connectionString: cluster.url })
  await admin.connect()
  try {
    for (const name of ['cards', 'keys']) {
      await admin.query(`create role ${name} login password '${password}'`)
      await admin.query(`create database ${name} owner ${name}`)
    }
    const rules = [
      'local all postgres trust',
      'hostssl cards cards 127.0.0.1/32 scram-sha-256',
      'hostssl keys keys 127.0.0.1/32 scram-sha-256',
    ]
    writeFileSync(join(cluster.folder, 'data', 'pg_hba.conf'), `${rules.join('\n')}\n`)
    await admin.query('select pg_reload_conf()')
  } finally {
    await admin.end()
  }
  const relay = await startDatabaseRelay(cluster.port)
  const urlOf = (name: string, port = relay.port): string =>
    `postgres://${name}:${password}@127.0.0.1:${String(port)}/${name}?sslmode=verify-full&sslrootcert=${encodeURIComponent(authority.caFile)}`
  const write = async (statement: string, values: readonly unknown[]): Promise<number> => {
    const writer = new pg.Client({ connectionString: urlOf('cards', cluster.port) })
    await writer.connect()
    try {
      return (await writer.query(statement, [...values])).rowCount ?? 0
    } finally {
      await writer.end()
    }
  }
  const stop = async (): Promise<void> => {
    await relay.stop()
    await cluster.stop()
    rmSync(own, { recursive: true, force: true })
  }
  return { cluster, relay, write, cardsUrl: urlOf('cards'), keysUrl: urlOf('keys'), stop }
}
