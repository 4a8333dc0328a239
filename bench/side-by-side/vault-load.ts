import { percentile } from '../../fault/statistics.ts'
import { runOpenLoop } from '../open-loop.ts'
import { openWireConnection, type WireReply } from '../wire-connection.ts'
import { writeVaultRequest, type CardPayload, type VaultApi } from './vault-api.ts'

/** A vault that runs, as the load calls it. */
export interface LoadedVault {
  readonly name: string
  readonly url: string
  readonly xAuth: string
  readonly api: VaultApi
}

export type VaultCall = 'create' | 'read'

export interface VaultLoadResult {
  readonly requests: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly p999Ms: number
}

export interface VaultLoad {
  readonly call: VaultCall
  readonly connections: number
  readonly requests: number
  /** At this rate, each counted from when it was due; null: each connection sends the next as soon as it has its reply. */
  readonly perSecond: number | null
  readonly drawCard: () => CardPayload
  /** What was stored so far: creates add to it, reads draw from it. */
  readonly references: string[]
}

/** Runs one round of load on one vault. Throws at the first reply that is not what was asked for: figures of errors are worth nothing. */
export async function runVaultLoad(vault: LoadedVault, load: VaultLoad): Promise<VaultLoadResult> {
  const { call, requests, perSecond, connections } = load
  const written = Array.from({ length: requests }, (_, n) => writeRequest(vault, load, n))
  const next = written.values()
  const nextRequest = (): Buffer => next.next().value ?? Buffer.alloc(0)
  const isResult = (reply: WireReply): boolean => {
    if (call === 'read') return vault.api.isRead(reply)
    const reference = vault.api.referenceOf(reply)
    if (reference !== null) load.references.push(reference)
    return reference !== null
  }
  const startedAt = performance.now()
  const { durations, failed, failure } =
    perSecond === null
      ? await runClosedLoop({ url: vault.url, connections, requests: written, isResult })
      : await runOpenLoop({ url: vault.url, perSecond, ms: (requests / perSecond) * 1000 + 1, connections, nextRequest, isResult })
  if (failed > 0) throw new Error(`${vault.name}: ${String(failed)} of ${String(requests)} calls failed, the first: ${failure}`)
  return {
    requests: durations.length,
    perSecond: (durations.length / (performance.now() - startedAt)) * 1000,
    p50Ms: percentile(durations, 0.5),
    p99Ms: percentile(durations, 0.99),
    p999Ms: percentile(durations, 0.999),
  }
}

function writeRequest({ url, xAuth, api }: LoadedVault, { call, references, drawCard }: VaultLoad, n: number): Buffer {
  // By an odd step, so that neighbours in the store are not read one after the other.
  const reference = references[(n * 7919) % references.length] ?? ''
  return writeVaultRequest(url, call === 'create' ? api.create(drawCard(), xAuth) : api.read(reference, xAuth))
}

interface ClosedLoop {
  readonly url: string
  readonly connections: number
  readonly requests: readonly Buffer[]
  readonly isResult: (reply: WireReply) => boolean
}

async function runClosedLoop({ url, connections, requests, isResult }: ClosedLoop) {
  const durations: number[] = []
  let [failed, failure] = [0, '']
  const left = requests.values()
  const sendRest = async (): Promise<void> => {
    const connection = await openWireConnection(url)
    for (const request of left) {
      const sentAt = performance.now()
      const reply = await connection.send(request)
      durations.push(performance.now() - sentAt)
      if (isResult(reply)) continue
      failed += 1
      if (failure === '') failure = `${String(reply.status)} ${reply.body.slice(0, 300)}`
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, sendRest))
  return { durations, failed, failure }
}
