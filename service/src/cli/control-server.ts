import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'

import { controlPathOf } from './control-path.ts'
import { questionBytesMax, questionSilenceMs, readJsonObject, readLine } from './control-wire.ts'
import type { Question, Reply } from './control-wire.ts'
import { CannotGoOn } from '../exits.ts'

export interface ControlServer {
  close(): Promise<void>
}

/** Answers one question; what it throws is told as a fault without its words. */
export type AnswerQuestion = (question: Question) => Promise<Reply>

/**
 * Listens on `<folder>/control.sock`, readable and writable by the service's own user alone. The caller holds the folder's lock, so a socket
 * that lies there already was left by a service that is gone.
 */
export async function listenControl(folder: string, answer: AnswerQuestion, failed: (err: unknown) => void): Promise<ControlServer> {
  const at = controlPathOf(folder)
  if (at === null)
    throw new CannotGoOn('settings', `The path of ${folder} is too long for a socket on this system: set TESSERA_DATA to a shorter one.`)
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    if (open.size >= CONNECTIONS_MAX) return void socket.destroy()
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    converse(socket, answer, failed).catch(failed)
  })
  rmSync(at.path, { force: true })
  await listenPrivately(server, at.path)
  server.on('error', failed)
  return Object.freeze({
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of open) socket.destroySoon()
      // Who does not read what it was told is not waited for.
      const unread = setTimeout(() => open.forEach((socket) => socket.destroy()), GOODBYE_MS)
      await closed
      clearTimeout(unread)
      at.release()
    },
  })
}

/** The mask holds from the moment the socket appears; the mode is set again for systems that do not apply it to sockets. */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const maskBefore = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, () => resolve())
      server.once('listening', () => server.off('error', reject))
    })
    chmodSync(path, 0o600)
  } finally {
    process.umask(maskBefore)
  }
}

async function converse(socket: Socket, answer: AnswerQuestion, failed: (err: unknown) => void): Promise<void> {
  const question = readJsonObject(await readLine(socket, questionBytesMax, questionSilenceMs))
  if (socket.destroyed) return
  const reply = await answerSafely(question, answer, failed)
  socket.end(`${JSON.stringify(reply)}\n`)
}

async function answerSafely(
  question: Record<string, unknown> | null,
  answer: AnswerQuestion,
  failed: (err: unknown) => void,
): Promise<Reply> {
  if (question === null || typeof question.ask !== 'string')
    return { ok: false, reason: 'no_question', message: 'One line of JSON with a member "ask" was expected.' }
  try {
    return await answer({ ...question, ask: question.ask })
  } catch (err) {
    failed(err)
    return { ok: false, reason: 'internal_error', message: 'The service could not answer; its log says why.' }
  }
}

const CONNECTIONS_MAX = 16
/** What a peer has to take its answer in when the service ends. */
const GOODBYE_MS = 1000
