import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

import { readNodeKey, type NodeKey } from '@tessera/vault/node-key'
import { randomPublic } from '@tessera/vault/random'

import { createHandOverListener, requestHandOver, type HandOverTls } from '../adapters/hand-over/hand-over-connection.ts'
import { acceptKeks, makeHandOverResponder, makeKekRequest, makeOncePerMinute } from '../domain/custody/hand-over.ts'
import type { Custody } from '../domain/custody/custody.ts'
import type { CustodyAudit } from '../domain/custody/custody-audit.ts'
import type { EnrolledNodes } from '../domain/custody/enrolled-nodes.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../ops/config/config.ts'
import { ExitError } from '../ops/exits.ts'
import type { Log } from '../ops/logging/log.ts'
import { makeRequestIds } from '../server/request-id.ts'

import type { Resources } from './lifecycle.ts'
import { readTlsFile, readTlsFiles } from './tls-files.ts'

/** How this node hands KEKs over, and gets them; null where it does neither. */
export interface HandOver {
  /** Requests the KEKs of sets from the other nodes. Returns those that are open now. */
  fetch(sets: readonly string[]): Promise<string[]>
  /** Whether there are nodes to request them from. */
  readonly hasPeers: boolean
  /** Hands KEKs over to enrolled nodes from now on, where a port is set. */
  listen(deps: { readonly nodes: EnrolledNodes; readonly audit: CustodyAudit; readonly resources: Resources }): Promise<void>
}

type HandOverConfig = Pick<
  Config,
  | 'dataFolder'
  | 'environment'
  | 'handOverHost'
  | 'handOverPort'
  | 'handOverPeers'
  | 'handOverCertFile'
  | 'handOverKeyFile'
  | 'handOverCaFile'
>

interface HandOverDependencies {
  readonly custody: Pick<Custody, 'adopt' | 'openSets'>
  readonly log: Log
  readonly clock: Clock
}

/** Throws `ExitError` when the settings or their files cannot be used. */
export function makeHandOver(config: HandOverConfig, { custody, log, clock }: HandOverDependencies): HandOver | null {
  const { environment, handOverHost: host } = config
  const settings = readHandOverSettings(config, clock.now())
  if (settings === null) return null
  const { port, peers, tls, key } = settings
  const isNews = makeOncePerMinute(clock)
  const issueRequestId = makeRequestIds(randomPublic, clock.now)
  return { fetch, hasPeers: peers.length > 0, listen }

  async function fetch(sets: readonly string[]): Promise<string[]> {
    const opened: string[] = []
    for (const peer of key === null ? [] : peers) {
      const missing = sets.filter((setId) => !opened.includes(setId))
      if (missing.length === 0 || key === null) break
      try {
        await requestHandOver(
          { ...peer, tls },
          (session) => makeKekRequest(key, missing, environment, session),
          async (reply, session) =>
            void opened.push(...(await acceptKeks(custody, key, reply, { environment, session, requestId: issueRequestId() }))),
        )
      } catch (err) {
        if (isNews(`${peer.host}:${String(peer.port)}`)) log.warn('hand_over_failed', { err })
      }
    }
    return opened
  }

  async function listen({ nodes, audit, resources }: Parameters<HandOver['listen']>[0]): Promise<void> {
    if (port === null) return
    const respond = makeHandOverResponder({ custody, nodes, audit, environment, issueRequestId, clock })
    const listener = createHandOverListener(tls, respond, (err) => {
      if (isNews('refused')) log.warn('hand_over_refused', { err })
    })
    resources.add(() => listener.close())
    await listener.listen({ host, port })
  }
}

/** The settings of a hand-over with their files; null where there is none. Throws `ExitError` when they cannot be used. */
export function readHandOverSettings(config: HandOverConfig, nowMs: number) {
  const { handOverPort: port } = config
  const peers = readPeers(config.handOverPeers)
  if (port === null && peers.length === 0) return null
  const tls = readHandOverTls(config, nowMs)
  return { port, peers, tls, key: peers.length === 0 ? null : requireNodeKey(config.dataFolder) }
}

/** The file of this node's key, in the data folder. */
export function nodeKeyPath(dataFolder: string): string {
  return join(dataFolder, 'node-key.json')
}

function requireNodeKey(dataFolder: string): NodeKey {
  const path = nodeKeyPath(dataFolder)
  if (!existsSync(path)) {
    throw new ExitError('invalidSettings', `TESSERA_HAND_OVER_PEERS is set, and this node has no key in ${path}.`, {
      advice: 'tessera keys node-key <name> makes it; custodians then enrol the node.',
    })
  }
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw new ExitError('invalidSettings', `other users can read ${path}.`, {
      advice: `chmod 600 ${path}, or make another key if it was read.`,
    })
  try {
    return readNodeKey(readFileSync(path, 'utf8'))
  } catch (err) {
    throw new ExitError('damaged', `the node key ${path} is damaged.`, {
      cause: err,
      advice: 'Delete it, make another, and enrol the node again.',
    })
  }
}

function readHandOverTls({ handOverCertFile, handOverKeyFile, handOverCaFile }: HandOverConfig, nowMs: number): HandOverTls {
  if (handOverCertFile === null || handOverKeyFile === null || handOverCaFile === null) {
    throw new ExitError('invalidSettings', 'a KEK is handed over by mutual TLS only, and a file for it is not set.', {
      advice: 'Set TESSERA_HAND_OVER_CERT_FILE, TESSERA_HAND_OVER_KEY_FILE and TESSERA_HAND_OVER_CA_FILE, or neither port nor peers.',
    })
  }
  const [certificateSetting, keySetting] = ['TESSERA_HAND_OVER_CERT_FILE', 'TESSERA_HAND_OVER_KEY_FILE']
  const { certificate, key } = readTlsFiles({ certificate: handOverCertFile, certificateSetting, key: handOverKeyFile, keySetting }, nowMs)
  return { certificate, key, authority: readTlsFile('TESSERA_HAND_OVER_CA_FILE', handOverCaFile) }
}

function readPeers(text: string | null): { readonly host: string; readonly port: number }[] {
  return (text ?? '')
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '')
    .map((each) => {
      const [, host, port] = /^\[?([0-9A-Za-z.:-]{1,253}?)\]?:([0-9]{1,5})$/.exec(each) ?? []
      if (host === undefined || Number(port) < 1 || Number(port) > 65_535)
        throw new ExitError('invalidSettings', `"${each.slice(0, 64)}" of TESSERA_HAND_OVER_PEERS is not host:port.`, {
          advice: 'For example: 10.0.0.2:8443',
        })
      return { host, port: Number(port) }
    })
}
