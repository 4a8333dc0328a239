import { kekSettingOf } from '../../app/adapters.ts'
import { findNotedFiles, noteFilesClosed } from '../../app/database-files.ts'
import { readFolderMarker, writeFolderMarker } from '../../app/data-folder.ts'
import { createResources } from '../../app/lifecycle.ts'
import { movePartsOf } from '../../app/move-store.ts'
import { moveStoreBack } from '../../store/move/move-back.ts'
import { MoveRefused, readMovedMark, type MovedMark } from '../../store/sqlite/move-marks.ts'
import { databasePathOf } from '../../store/sqlite/sqlite.ts'
import { makeWalk } from '../../store/walk.ts'
import { makeSystemClock } from '../../system-clock.ts'
import type { Config } from '../config/config.ts'
import { ExitError } from '../exits.ts'

import { printFields, type CommandInput, type CommandOutcome } from './command.ts'
import { callService, longReplyTimeoutMs } from './control-client.ts'
import { explainStart } from './explain-start.ts'
import { claimFolder } from './start.ts'

/** `tessera store move`: with the settings of the next start, beside the service on the embedded store. */
export async function runStoreMove(input: CommandInput): Promise<CommandOutcome> {
  const { config } = input.settings()
  const { databaseUrl, keysDatabaseUrl, environment } = config
  if (databaseUrl === null)
    throw new ExitError('invalidSettings', 'TESSERA_DATABASE_URL is not set: it names where to.', { advice: nameTarget })
  if (input.options.has('back')) return moveBack(input, config, databaseUrl)
  const params = { databaseUrl, keysDatabaseUrl, environment, kek: kekSettingOf(config) }
  const moved = await callService(input, 'operator.store.move', params, longReplyTimeoutMs).catch((err: unknown) => {
    throw sayWhichIsInCharge(err, config.dataFolder)
  })
  const text = [
    printFields({
      tables: moved.tables,
      rows: `${String(moved.rows)} compared, and ${String(moved.changed)} that changed meanwhile`,
      pause: `writes waited ${String(moved.pauseMs)} ms`,
    }),
    '',
    'PostgreSQL is in charge. The service stops: start it with these settings now.',
    'Until the first write there, tessera store move --back returns.',
  ].join('\n')
  return { exit: 'done', data: { moved }, text }
}

/** A service that ended before its reply may have ended on either side of the switch, which its embedded database says. */
function sayWhichIsInCharge(err: unknown, folder: string): unknown {
  if (!(err instanceof ExitError) || err.exit !== 'unavailable') return err
  const mark = readMovedMark(databasePathOf(folder))
  if (mark !== null)
    return new ExitError('unavailable', `${endSentence(err.what)} ${movedAlready(mark)}`, { cause: err, advice: startThere })
  // Without a cause there was no service, or it replied.
  return err.cause === undefined ? err : new ExitError('unavailable', err.what, { cause: err, advice: notMoved })
}

function movedAlready({ movedAt }: MovedMark): string {
  return `The embedded database was moved on ${new Date(movedAt).toISOString().slice(0, 16).replace('T', ' ')}, and PostgreSQL is in charge.`
}

function endSentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`
}

/** `tessera store move --back`: while no service runs on either store. */
async function moveBack(input: CommandInput, config: Config, databaseUrl: string): Promise<CommandOutcome> {
  const clock = makeSystemClock()
  const resources = createResources(() => undefined)
  try {
    claimFolder(config, resources)
    // Where the keys went is what the settings say now; they came from the embedded key store if it is marked.
    const parts = movePartsOf({ ...config, keysDatabaseUrl: null }, { databaseUrl, keysDatabaseUrl: config.keysDatabaseUrl })
    const walk = makeWalk({ onProgress: input.progress.show, now: () => clock.moment().monotonicMs })
    const rows = await moveStoreBack({ parts, walk })
    noteEmbedded(config.dataFolder)
    const text =
      'The embedded database is in charge again, and PostgreSQL refuses every write. Start the service without TESSERA_DATABASE_URL.'
    return { exit: 'done', data: { returned: { rows } }, text }
  } catch (err) {
    if (err instanceof MoveRefused) throw new ExitError('usage', err.message, { cause: err })
    throw explainStart(err, config, new AbortController().signal)
  } finally {
    await resources.closeAll()
  }
}

/** A start on PostgreSQL may have noted that the folder is used with it. */
function noteEmbedded(folder: string): void {
  const marker = readFolderMarker(folder)
  if (marker === null) return
  if (marker.store === 'postgres') writeFolderMarker(folder, { ...marker, store: 'sqlite', files: findNotedFiles(folder, 'closed') })
  else noteFilesClosed(folder)
}

const startThere = 'Start the service with these settings.'
const notMoved =
  'Nothing was moved: the embedded database is in charge. If the service has ended, start it as before, and repeat the command; tessera status says whether it runs.'
const nameTarget = 'Give the settings of the next start: TESSERA_DATABASE_URL, and in production TESSERA_KEYS_DATABASE_URL.'
