import { createServiceDataFactory, type ServiceData } from '../../fault/service-data.ts'
import { startProgram, startService, type RunningService } from '../../fault/spawn.ts'
import { startFloor } from '../compare.ts'
import { vaultApis, vaultKinds, type VaultKind } from './vault-api.ts'
import type { LoadedVault } from './vault-load.ts'

/** A vault in the comparison, with what its CPU time is read from. */
export interface Contender extends LoadedVault {
  readonly kind: VaultKind
  /** Of the vault itself; none: its CPU time is not printed. */
  readonly pids: readonly number[]
  /** Of its PostgreSQL server; null: not known, so neither its CPU time nor its settings are printed. */
  readonly databaseUrl: string | null
}

/** A vault that somebody else has started. */
export interface ForeignVault {
  readonly kind: VaultKind
  readonly url: string
  readonly pids: readonly number[]
  readonly databaseUrl: string | null
  readonly xAuth: string
}

export interface StartedContenders {
  readonly contenders: readonly Contender[]
  stop(): Promise<void>
}

/** Starts Tessera, the floor and the baseline, each in a database of its own on one server, and adds the vaults that already run. */
export async function startContenders(postgresUrl: string | null, foreign: readonly ForeignVault[]): Promise<StartedContenders> {
  const dataFactory = postgresUrl === null ? createServiceDataFactory() : createServiceDataFactory(postgresUrl)
  const started: { readonly running: RunningService; readonly data: ServiceData }[] = []
  const stop = async (): Promise<void> => {
    for (const { running, data } of started) {
      await running.stop()
      await data.remove()
    }
    await dataFactory.close()
  }
  try {
    const contenders: Contender[] = []
    for (const { kind, start } of own) {
      const data = await dataFactory.create('postgres')
      const running = await start(data)
      started.push({ running, data })
      const { url, xAuth, pid } = running
      contenders.push({ kind, name: kind, url, xAuth, api: vaultApis[kind], pids: [pid], databaseUrl: data.databaseUrl })
    }
    return { contenders: [...contenders, ...foreign.map((vault) => ({ ...vault, name: nameOf(vault), api: vaultApis[vault.kind] }))], stop }
  } catch (err) {
    await stop()
    throw err
  }
}

const own: readonly { readonly kind: VaultKind; readonly start: (data: ServiceData) => Promise<RunningService> }[] = [
  { kind: 'tessera', start: ({ flags }) => startService({ flags: [...flags, '--log-level=warn'] }) },
  { kind: 'floor', start: (data) => startFloor(data) },
  { kind: 'baseline', start: ({ flags }) => startProgram('bench/side-by-side/baseline.ts', { flags }) },
]

/** Another Tessera is told apart from the one that was started here. */
function nameOf({ kind }: ForeignVault): string {
  return own.some((each) => each.kind === kind) ? `other ${kind}` : kind
}

/** Reads `--vault hyperswitch-card-vault=http://…` with what the other options say of it. Throws an error that says what is wrong. */
export function readForeignVaults(options: {
  readonly vault: readonly string[]
  readonly process: readonly string[]
  readonly database: readonly string[]
  readonly login: readonly string[]
}): ForeignVault[] {
  const vaults = readPairs('vault', options.vault)
  const [processes, databases, logins] = [
    readPairs('process', options.process),
    readPairs('database', options.database),
    readPairs('login', options.login),
  ]
  for (const kind of [...processes.keys(), ...databases.keys(), ...logins.keys()])
    if (!vaults.has(kind)) throw new Error(`No --vault names ${kind}, which another option describes.`)
  return [...vaults].map(([kind, url]) => {
    if (URL.parse(url)?.protocol !== 'http:')
      throw new Error(`--vault takes <kind>=http://<host>:<port>, without TLS, which no vault here has; not "${url}".`)
    const pids = (processes.get(kind) ?? '').split(',').filter((pid) => pid !== '')
    if (pids.some((pid) => !/^\d+$/.test(pid)))
      throw new Error(`--process takes <kind>=<pid>, or several pids with commas, not "${pids.join(',')}".`)
    return { kind, url, pids: pids.map(Number), databaseUrl: databases.get(kind) ?? null, xAuth: logins.get(kind) ?? ':' }
  })
}

function readPairs(option: string, texts: readonly string[]): Map<VaultKind, string> {
  const pairs = new Map<VaultKind, string>()
  for (const text of texts) {
    const at = text.indexOf('=')
    const kind = vaultKinds.find((each) => each === text.slice(0, at))
    if (kind === undefined)
      throw new Error(`--${option} takes <kind>=<value>, where the kind is one of ${vaultKinds.join(', ')}; not "${text}".`)
    if (pairs.has(kind)) throw new Error(`--${option} names ${kind} twice.`)
    pairs.set(kind, text.slice(at + 1))
  }
  return pairs
}
