import { isSignedByNode, openAsNode, sealToNode, signAsNode, type NodeKey } from '@tessera/vault/node-key'

import type { Clock } from '../../clock.ts'
import type { AuditActor } from '../request-context.ts'

import type { Custody } from './custody.ts'
import type { CustodyAudit } from './custody-audit.ts'
import type { EnrolledNodes } from './enrolled-nodes.ts'

/** What one node requests of another, as it arrives. */
export interface KekRequest {
  readonly node: string
  /** The sets whose KEKs it needs. */
  readonly sets: readonly string[]
  /** Over all of it and the connection, hex. */
  readonly signature: string
}

/** KEKs, each sealed to the node for this connection, hex. */
export interface SealedKeks {
  readonly keks: readonly { readonly setId: string; readonly sealed: string }[]
}

export interface HandOverResponderDependencies {
  readonly custody: Pick<Custody, 'openSets'>
  readonly nodes: Pick<EnrolledNodes, 'list'>
  readonly audit: Pick<CustodyAudit, 'record'>
  readonly environment: string
  readonly issueRequestId: () => string
  readonly clock: Pick<Clock, 'moment'>
}

/**
 * Hands the KEKs that are open here to an enrolled node. `session` is what only this connection has: a request from another connection is not signed for it. The
 * audit has each hand-over before it, and each refusal, of one kind once a minute; the caller is not told why.
 */
export function makeHandOverResponder({ custody, nodes, audit, environment, issueRequestId, clock }: HandOverResponderDependencies) {
  const isNews = makeOncePerMinute(clock)
  return async (request: KekRequest, session: Uint8Array, address: string): Promise<SealedKeks> => {
    const subject = /^[a-z0-9-]{1,32}$/.test(request.node) ? request.node : 'unknown'
    const by: AuditActor = { actor: `node:${subject}`, requestId: issueRequestId(), address }
    const enrolled = (await nodes.list()).find(({ name }) => name === request.node)
    const node = enrolled?.revokedAt === null ? enrolled : undefined
    const isSigned = node !== undefined && isSignedBy(node.publicKey, request, { environment, session })
    const open = isSigned ? custody.openSets().filter(({ set }) => request.sets.includes(set.setId)) : []
    const refused = enrolled === undefined ? 'unknown' : node === undefined ? 'revoked' : 'signature'
    if (isSigned) await audit.record(by, { action: 'kek.handed_over', subject, outcome: 'done' })
    else if (isNews(`${subject} ${refused}`)) await audit.record(by, { action: 'kek.handed_over', subject, outcome: 'refused' })
    if (node === undefined) return { keks: [] }
    return {
      keks: open.map(({ set: { setId }, key }) => ({ setId, sealed: sealKek(node, setId, key.export(), { environment, session }) })),
    }
  }
}

/** The request of a node, for one connection. */
export function makeKekRequest(key: NodeKey, sets: readonly string[], environment: string, session: Uint8Array): KekRequest {
  const signature = signAsNode(key, [environment, key.name, session, ...sets])
  return { node: key.name, sets, signature: Buffer.from(signature).toString('hex') }
}

/** Opens what was handed over, and gives each KEK to the custody, which verifies it by its known answer. Returns the sets that are open now. */
export async function acceptKeks(
  custody: Pick<Custody, 'adopt'>,
  key: NodeKey,
  { keks }: SealedKeks,
  { environment, session, requestId }: { readonly environment: string; readonly session: Uint8Array; readonly requestId: string },
): Promise<string[]> {
  const opened: string[] = []
  for (const { setId, sealed } of keks) {
    const raw = openAsNode(key, Buffer.from(sealed, 'hex'), [environment, key.name, setId, session])
    const isOpen = await custody.adopt(setId, raw, { actor: `node:${key.name}`, requestId, address: '' }).finally(() => raw.fill(0))
    if (isOpen) opened.push(setId)
  }
  return opened
}

interface HandOverContext {
  readonly environment: string
  readonly session: Uint8Array
}

function isSignedBy(publicKey: string, { node, sets, signature }: KekRequest, { environment, session }: HandOverContext): boolean {
  return isSignedByNode(publicKey, [environment, node, session, ...sets], Buffer.from(signature, 'hex'))
}

function sealKek({ name, publicKey }: { name: string; publicKey: string }, setId: string, raw: Buffer, context: HandOverContext): string {
  const sealed = sealToNode(publicKey, raw, [context.environment, name, setId, context.session])
  raw.fill(0)
  return Buffer.from(sealed).toString('hex')
}

/** Whether something was not said within the last minute: a node that is refused requests every few seconds. */
export function makeOncePerMinute(clock: Pick<Clock, 'moment'>): (what: string) => boolean {
  const said = new Map<string, number>()
  return (what) => {
    const now = clock.moment().monotonicMs
    for (const [each, at] of said) if (now - at >= 60_000) said.delete(each)
    if (said.has(what) || said.size >= saidMax) return false
    said.set(what, now)
    return true
  }
}

const saidMax = 100
