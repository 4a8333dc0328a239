import type { Result } from '@tessera/contract/operations'
import {
  operatorStoreCheckContract,
  operatorStoreMoveContract,
  operatorStoreRecordBackupContract,
  operatorStoreRecordPrimaryContract,
  operatorStoreSignBackupContract,
} from '@tessera/contract/operations/operator-store'

import type { StoreReport } from '../ops/audit/check.ts'

import { operation } from './operation.ts'
import { refusal, runWalk } from './operator.ts'

/** Checks the whole store while it is used. */
export const operatorStoreCheck = operation(operatorStoreCheckContract, {
  async run(_params, ctx, { storeCheck }) {
    return toStoreCheckResult(await runWalk(ctx, (options) => storeCheck.run('all', options)))
  },
})

/** Moves the embedded store to PostgreSQL while it is used; afterwards the service stops. */
export const operatorStoreMove = operation(operatorStoreMoveContract, {
  async run(to, ctx, { storeMove }) {
    try {
      return await runWalk(ctx, (options) => storeMove.run(to, ctx, options), moveRefusals)
    } catch (err) {
      if (err instanceof Error && err.name === 'MoveRefused') throw refusal('move_refused', err.message)
      throw err
    }
  },
})

const moveRefusals = { running: 'move_running', cancelled: 'move_cancelled' } as const

/** Writes the audit entry of a backup, which a process of its own made. */
export const operatorStoreRecordBackup = operation(operatorStoreRecordBackupContract, {
  async run(params, { requestId }, { recordBackup }) {
    await recordBackup(params, requestId)
    return { success: true }
  },
})

/** Writes the audit entry of a choice among servers, which a process of its own made. */
export const operatorStoreRecordPrimary = operation(operatorStoreRecordPrimaryContract, {
  async run({ host }, { actor, requestId, address }, { custodyAudit }) {
    await custodyAudit.record({ actor, requestId, address }, { action: 'database.primary_chosen', subject: host, outcome: 'done' })
    return { success: true }
  },
})

/** Signs the manifest of a backup with keys that the command does not have. */
export const operatorStoreSignBackup = operation(operatorStoreSignBackupContract, {
  async run({ folder }, _ctx, { signBackup }) {
    const { line, entries, answers, rows } = await signBackup(folder)
    return { manifest: line, entries, answers, rows }
  },
})

/** The report as the command prints it, also when no service runs. */
export function toStoreCheckResult({ rows, findings, ...report }: StoreReport): Result<'operator.store.check'> {
  return { ...report, rows: Object.values(rows).reduce((sum, count) => sum + count, 0), findings: [...findings] }
}
