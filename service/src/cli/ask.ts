import { relative } from 'node:path'

import type { Asked } from './command.ts'
import { askRunning } from './control-client.ts'
import type { Question } from './control-wire.ts'
import { CannotGoOn } from '../exits.ts'

/** Asks the service that runs on the settings' data folder. Throws `CannotGoOn` when none does, or when it says no. */
export async function ask(asked: Asked, question: Question, silenceMs?: number): Promise<unknown> {
  const folder = asked.settings().config.dataFolder
  const reply = await askRunning(folder, question, silenceMs).catch((cause: unknown) => {
    throw new CannotGoOn('unavailable', `the service on ${shownFolder(folder)} cannot be asked (${wordOf(cause)}).`, { cause })
  })
  if (reply === null) throw new CannotGoOn('unavailable', nobodyOn(folder))
  if (!reply.ok) throw new CannotGoOn(reply.reason === 'internal_error' ? 'fault' : 'usage', reply.message)
  return reply.answer
}

/** `--data` is ./data by default: whoever asks from another folder than the service was started in looks in the wrong one. */
function nobodyOn(folder: string): string {
  return `no service is running on ${shownFolder(folder)}: start it with npm start, or name the folder of one that runs with --data`
}

/** A folder as it was probably typed: `./data` rather than its whole path, when it lies below. */
export function shownFolder(folder: string): string {
  const below = relative(process.cwd(), folder)
  return below === '' ? '.' : below.startsWith('..') ? folder : `./${below}`
}

function wordOf(cause: unknown): string {
  return (cause as NodeJS.ErrnoException).code ?? (cause instanceof Error ? cause.message : 'unknown')
}
