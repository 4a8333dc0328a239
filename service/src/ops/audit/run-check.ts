import { RpcError } from '@tessera/contract/errors'

import type { IntegrityReport } from '../../store/integrity.ts'
import { makeWalk, type WalkOptions } from '../../store/walk.ts'

import { allStages, auditStages, checkStore, type StoreCheckDependencies, type StoreReport } from './check.ts'

/** Runs checks of a store, one at a time. */
export interface RunStoreCheck {
  /** `audit`: the stages of `tessera audit verify`. Null while another check runs. */
  run(stages: 'all' | 'audit', options?: Pick<WalkOptions, 'signal' | 'onProgress'>): Promise<StoreReport> | null
}

/** What a check says of damage. */
export interface DamageCheck {
  /** How files and indexes were checked. */
  readonly method: IntegrityReport['method']
  readonly hasFoundDamage: boolean
  /** Whether it looked at the whole store and found nothing. */
  readonly isSound: boolean
}

export interface RunStoreCheckDependencies extends Omit<StoreCheckDependencies, 'walk' | 'knownHeads'> {
  /** As they are when a check begins. */
  readonly knownHeads: () => Promise<StoreCheckDependencies['knownHeads']>
  /** Called after a check that has read the files. */
  readonly onChecked: (check: DamageCheck) => void
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  /** Cancels a check in progress, so that a stop does not wait for it. */
  readonly stopping: AbortSignal
}

export function makeRunStoreCheck({ knownHeads, onChecked, now, stopping, ...deps }: RunStoreCheckDependencies): RunStoreCheck {
  let isRunning = false
  return Object.freeze({
    run(stages: 'all' | 'audit', options: Pick<WalkOptions, 'signal' | 'onProgress'> = {}) {
      return isRunning ? null : run(stages, options)
    },
  })

  async function run(stages: 'all' | 'audit', options: Pick<WalkOptions, 'signal' | 'onProgress'>): Promise<StoreReport> {
    isRunning = true
    try {
      const signal = options.signal === undefined ? stopping : AbortSignal.any([options.signal, stopping])
      const walk = makeWalk({ ...options, signal, now })
      const report = await checkStore({ ...deps, knownHeads: await knownHeads(), walk }, stages === 'all' ? allStages : auditStages)
      const { findings, integrity } = report
      if (integrity.method !== 'none')
        onChecked({
          method: integrity.method,
          hasFoundDamage: findings.some(({ kind }) => kind === 'integrity'),
          isSound: stages === 'all' && findings.length === 0,
        })
      return report
    } catch (err) {
      if (!stopping.aborted) throw err
      throw new RpcError('operatorRefused', { data: { reason: 'check_cancelled', message: 'Cancelled: the service stops.' }, cause: err })
    } finally {
      isRunning = false
    }
  }
}
