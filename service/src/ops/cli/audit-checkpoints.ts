import type { KeyObject } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { createInterface } from 'node:readline'

import { isSignedLine, readCheckpoint } from '../audit/checkpoint.ts'
import { readRestoreStatement } from '../audit/restore-statement.ts'
import { ExitError } from '../exits.ts'

import type { CommandInput } from './command.ts'
import { callService } from './control-client.ts'

/** What a comparison with checkpoints found. */
export interface CheckpointComparison {
  readonly checkpoints: number
  readonly heads: number
  readonly findings: readonly CheckpointFinding[]
  readonly more: boolean
}

export interface CheckpointFinding {
  readonly chain: string
  readonly seq: number
  /** When the checkpoint was signed, ISO 8601. */
  readonly at: string
  readonly what: string
}

interface ExpectedHead {
  readonly seq: number
  readonly hash: string
  readonly at: string
}

/** Compares the chains of the running service with checkpoints in a file, or with one line. */
export async function compareCheckpoints(input: CommandInput, from: string, keys: readonly KeyObject[]): Promise<CheckpointComparison> {
  const findings: CheckpointFinding[] = []
  const expected = new Map<string, ExpectedHead[]>()
  let checkpoints = 0
  for await (const line of linesOf(from)) {
    const statement = readRestoreStatement(line)
    const checkpoint = statement ?? readCheckpoint(line)
    if (checkpoint === null) continue
    checkpoints += 1
    const { at, heads } = checkpoint
    if (!isSignedLine(keys, checkpoint.line)) {
      findings.push({ chain: '', seq: 0, at, what: 'none of the keys made its signature' })
      continue
    }
    // An operator accepted a database without these entries.
    for (const { chain, afterSeq } of statement?.lost ?? [])
      expected.set(
        chain,
        listOf(expected, chain).filter(({ seq }) => seq <= afterSeq),
      )
    for (const { chain, seq, hash } of heads) listOf(expected, chain).push({ seq, hash: Buffer.from(hash).toString('hex'), at })
  }
  if (checkpoints === 0) throw new ExitError('usage', `There is no checkpoint in ${from.startsWith('{') ? 'the line' : from}.`)
  let heads = 0
  for (const [chain, all] of expected) {
    const distinct = withoutRepeats(all)
    heads += distinct.length
    for (let at = 0; at < distinct.length; at += batchSize)
      findings.push(...(await compareBatch(input, chain, distinct.slice(at, at + batchSize))))
  }
  return { checkpoints, heads, findings: findings.slice(0, maxFindings), more: findings.length > maxFindings }
}

async function compareBatch(input: CommandInput, chain: string, batch: readonly ExpectedHead[]): Promise<CheckpointFinding[]> {
  const { hashes } = await callService(input, 'operator.audit.hashes', { chain, seqs: batch.map(({ seq }) => seq) })
  return batch.flatMap(({ seq, hash, at }, index) => {
    const found = hashes[index]
    if (found === hash) return []
    const what =
      found === null ? 'this entry is missing: the chain was cut off or rewritten' : 'this entry is another one: the chain was rewritten'
    return [{ chain, seq, at, what }]
  })
}

/** Two checkpoints of one position say the same, unless the chain was rewritten between them: then both are compared. */
function withoutRepeats(heads: readonly ExpectedHead[]): ExpectedHead[] {
  return [...new Map(heads.map((head) => [`${String(head.seq)} ${head.hash}`, head])).values()]
}

function linesOf(from: string): AsyncIterable<string> | Iterable<string> {
  if (from.trimStart().startsWith('{')) return [from]
  if (!existsSync(from)) throw new ExitError('usage', `There is no file ${from}: give a file of checkpoints, or one checkpoint line.`)
  return createInterface({ input: createReadStream(from), crlfDelay: Infinity })
}

function listOf<T>(lists: Map<string, T[]>, name: string): T[] {
  const list = lists.get(name) ?? []
  lists.set(name, list)
  return list
}

const batchSize = 200
const maxFindings = 100
