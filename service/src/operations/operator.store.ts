import type { Result } from '@tessera/contract/operations'
import { operatorStoreCheckContract, operatorStoreRecordBackupContract } from '@tessera/contract/operations/operator-store'

import type { StoreReport } from '../ops/audit/check.ts'

import { operation } from './operation.ts'
import { runWalk } from './operator.ts'

/** Checks the whole store while it is used. */
export const operatorStoreCheck = operation(operatorStoreCheckContract, {
  async run(_params, ctx, { storeCheck }) {
    return toStoreCheckResult(await runWalk(ctx, (options) => storeCheck.run('all', options)))
  },
})

/** Writes the audit entry of a backup, which a process of its own made. */
export const operatorStoreRecordBackup = operation(operatorStoreRecordBackupContract, {
  async run(params, { requestId }, { recordBackup }) {
    await recordBackup(params, requestId)
    return { success: true }
  },
})

/** The report as the command prints it, also when no service runs. */
export function toStoreCheckResult({ rows, findings, ...report }: StoreReport): Result<'operator.store.check'> {
  return { ...report, rows: Object.values(rows).reduce((sum, count) => sum + count, 0), findings: [...findings] }
}
