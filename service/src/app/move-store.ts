import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { issueRandomId } from '@tessera/vault/id'

import type { Clock } from '../clock.ts'
import { allStages, checkStore } from '../ops/audit/check.ts'
import type { Config } from '../ops/config/config.ts'
import type { LogFields } from '../ops/logging/fields.ts'
import { insertAuditEntry } from '../store/audit.ts'
import { MoveRefused, readMovedMark } from '../store/sqlite/move-marks.ts'
import type { MoveActor, MoveDestination, MovePart, RunStoreMove, StoreMoveReport } from '../store/move/move-store.ts'
import { databasePathOf } from '../store/sqlite/sqlite.ts'
import { SQLITE_KEYS_FILE } from '../store/sqlite/keys.ts'
import type { Store } from '../store/store.ts'
import { makeWalk, type WalkOptions } from '../store/walk.ts'

import { kekSettingOf } from './adapters.ts'
import { auditHeadsFile } from './data-folder.ts'
import { inspectDatabase } from './inspect-database.ts'
import type { Storage } from './storage.ts'

export interface RunStoreMoveDependencies extends Pick<Storage, 'keyring'> {
  readonly store: Pick<Store, 'file' | 'write' | 'auditHeads'>
  readonly clock: Clock
  readonly log: (event: string, fields: LogFields) => void
  readonly stopping: AbortSignal
  /** Stops the service: its store refuses every write. */
  readonly stopService?: (reason: string) => void
}

export function makeRunStoreMove(
  config: Config,
  { keyring, store, clock, log, stopping, stopService = () => undefined }: RunStoreMoveDependencies,
): RunStoreMove {
  let isTaken = false
  return Object.freeze({
    run(...args: Parameters<RunStoreMove['run']>) {
      return isTaken ? null : run(...args)
    },
  })

  async function run(to: MoveDestination, by: MoveActor, options: Pick<WalkOptions, 'signal' | 'onProgress'>): Promise<StoreMoveReport> {
    if (store.file === null) throw new MoveRefused('the service is on PostgreSQL already: there is nothing to move.')
    if (to.environment !== config.environment || to.kek !== kekSettingOf(config)) throw new MoveRefused(otherSettings)
    isTaken = true
    const moveId = issueRandomId(16)
    // What this process has committed until now has to be in the copy.
    const knownHeads = store.auditHeads()
    const now = (): number => clock.moment().monotonicMs
    const walk = makeWalk({
      ...options,
      signal: options.signal === undefined ? stopping : AbortSignal.any([options.signal, stopping]),
      now,
    })
    try {
      const parts = movePartsOf(config, to)
      log('store_move_started', { count: parts.length })
      // With the driver of PostgreSQL, which other services on this store do without.
      const { moveStore } = await import('../store/move/move-store.ts')
      const report = await moveStore({
        parts,
        moveId,
        source: firstRowKey(keyring),
        walk,
        checkCopy,
        beforePause: () => writeEntry(moveId, by),
        auditHeads: () => readFile(join(config.dataFolder, auditHeadsFile)).catch(() => null),
        now,
        unixMs: clock.now,
      })
      log('store_moved', { count: report.rows, ms: report.pauseMs })
      // After its reply.
      void clock.sleep(replyMs, stopping).then(() => stopService('store_moved'))
      return report
    } catch (err) {
      isTaken = false
      log('store_move_ended', { err })
      throw err
    }

    async function checkCopy(): Promise<void> {
      const database = await inspectDatabase('cards', to.databaseUrl, config.dataFolder)
      try {
        const { findings } = await checkStore(
          {
            store: database,
            requestLogFile: null,
            openKeyStore: () => inspectDatabase('keys', config.keysDatabaseUrl ?? to.keysDatabaseUrl ?? to.databaseUrl, config.dataFolder),
            keyring,
            environment: config.environment,
            knownHeads,
            walk,
          },
          allStages,
        )
        const [first] = findings
        if (first === undefined) return
        const where = 'chain' in first ? `audit chain ${first.chain}` : `table ${first.table}`
        throw new MoveRefused(
          `the check of the copy found ${String(findings.length)} faults, the first in ${where}: ${first.what}. Run tessera store check; nothing was moved.`,
        )
      } finally {
        await database.close()
      }
    }
  }

  async function writeEntry(moveId: string, { actor, requestId, address = '' }: MoveActor): Promise<void> {
    const audit = {
      action: 'database.moved' as const,
      subject: moveId,
      outcome: 'done',
      merchantId: '',
      at: clock.now(),
      actor,
      requestId,
      address,
      version: 0,
    }
    await store.write(insertAuditEntry, { audit: { ...audit, mac: new Uint8Array(0) } })
  }
}

/** The databases that a move concerns: the keys as well, where they are not on PostgreSQL already. */
export function movePartsOf(
  { dataFolder, keysDatabaseUrl }: Pick<Config, 'dataFolder' | 'keysDatabaseUrl'>,
  to: Pick<MoveDestination, 'databaseUrl' | 'keysDatabaseUrl'>,
): [MovePart, ...MovePart[]] {
  const cards = { schema: 'cards', path: databasePathOf(dataFolder), url: to.databaseUrl } as const
  if (keysDatabaseUrl !== null) return [cards]
  return [cards, { schema: 'keys', path: join(dataFolder, SQLITE_KEYS_FILE), url: to.keysDatabaseUrl ?? to.databaseUrl }]
}

/** A crash after the embedded store was marked as moved may have come before PostgreSQL was marked as complete. */
export async function completeInterruptedMove({ dataFolder, databaseUrl, keysDatabaseUrl }: Config): Promise<void> {
  const moved = databaseUrl === null ? null : readMovedMark(databasePathOf(dataFolder))
  if (moved === null || databaseUrl === null) return
  const { openMoveTarget } = await import('../store/move/move-target.ts')
  for (const [url, schema] of [
    [databaseUrl, 'cards'],
    [keysDatabaseUrl ?? databaseUrl, 'keys'],
  ] as const) {
    const target = await openMoveTarget(url, schema)
    try {
      const mark = await target.readMark()
      if (mark?.moveId === moved.moveId && mark.state === 'ready') await target.setState('complete')
    } finally {
      await target.close()
    }
  }
}

function firstRowKey(keyring: Storage['keyring']): string {
  const own = keyring.list().filter(({ purpose, owner }) => purpose === 'row_mac' && owner === '')
  return own.sort((a, b) => a.epoch - b.epoch)[0]?.keyId ?? ''
}

/** For the reply to the command. */
const replyMs = 50
const otherSettings =
  'the command names another environment or another provider of the KEK than the service has, so a start with its settings would be refused. ' +
  'Give it the settings of the service, and the databases.'
