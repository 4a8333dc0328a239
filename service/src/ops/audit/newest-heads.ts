import type { KeyObject } from 'node:crypto'

import type { AuditHead } from '../../store/audit.ts'

import { isSignedLine, readCheckpoint } from './checkpoint.ts'
import { readRestoreStatement } from './restore-statement.ts'

/** The newest head of each chain in lines of checkpoints, oldest first; lines that none of the keys signed are left out. */
export function newestHeads(lines: readonly string[], keys: readonly KeyObject[], environment: string): AuditHead[] {
  const newest = new Map<string, AuditHead>()
  for (const line of lines) {
    const statement = readRestoreStatement(line)
    const checkpoint = statement ?? readCheckpoint(line)
    if (checkpoint === null || checkpoint.environment !== environment || !isSignedLine(keys, checkpoint.line)) continue
    // An operator accepted a database without the entries of the checkpoints before.
    if (statement !== null) newest.clear()
    for (const head of checkpoint.heads) newest.set(head.chain, head)
  }
  return [...newest.values()]
}
