import { createConnection } from 'node:net'
import type { Socket } from 'node:net'

import { controlPathOf } from './control-path.ts'
import { readJsonObject, readLine, replyBytesMax, replySilenceMs } from './control-wire.ts'
import type { Question, Reply } from './control-wire.ts'

/** Asks the service that runs on a data folder; null when none does. Throws when one is there and gives no answer in time. */
export async function askRunning(folder: string, question: Question, silenceMs: number = replySilenceMs): Promise<Reply | null> {
  const socket = await connect(folder)
  if (socket === null) return null
  try {
    socket.write(`${JSON.stringify(question)}\n`)
    const reply = readJsonObject(await readLine(socket, replyBytesMax, silenceMs))
    if (reply === null || typeof reply.ok !== 'boolean') throw new Error('it gave no answer')
    return reply as unknown as Reply
  } finally {
    socket.destroy()
  }
}

async function connect(folder: string): Promise<Socket | null> {
  const at = reach(folder)
  if (at === null) return null
  try {
    return await new Promise<Socket>((resolve, reject) => {
      const socket = createConnection(at.path)
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        resolve(socket)
      })
    })
  } catch (err) {
    if (isNobodyThere(err)) return null
    throw err
  } finally {
    at.release()
  }
}

function reach(folder: string): ReturnType<typeof controlPathOf> {
  try {
    return controlPathOf(folder)
  } catch (err) {
    if (isNobodyThere(err)) return null
    throw err
  }
}

function isNobodyThere(err: unknown): boolean {
  return ['ENOENT', 'ECONNREFUSED', 'ENOTDIR'].includes((err as NodeJS.ErrnoException).code ?? '')
}
