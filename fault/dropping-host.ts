import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** An address on which nothing answers, not even that there is nobody: packets that open a connection (SYN) are dropped, as by a firewall. */
export interface DroppingHost {
  readonly port: number
  close(): Promise<void>
}

/**
 * Opens one, without rights of root: a process listens and is stopped (SIGSTOP), and its queue of connections is filled. Then Linux drops every further SYN.
 */
export async function openDroppingHost(): Promise<DroppingHost> {
  const child = spawn(process.execPath, ['--input-type=commonjs', '--eval', listen], { stdio: ['ignore', 'pipe', 'ignore'] })
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const port = Number(line.toString())
  child.kill('SIGSTOP')
  const queued: Socket[] = []
  const close = async (): Promise<void> => {
    for (const socket of queued) socket.destroy()
    process.off('exit', end)
    end()
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  for (let attempt = 0; attempt < maxQueued; attempt++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    queued.push(socket)
    const isTaken = await Promise.race([once(socket, 'connect').then(() => true), pause(silentMs, false)])
    if (!isTaken) return { port, close }
  }
  await close()
  throw new Error(`this machine takes more than ${maxQueued} connections for a process that accepts none`)
}

const listen = `const server = require('net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () =>
  process.stdout.write(String(server.address().port)))`
/** The queue holds one more than the backlog. */
const maxQueued = 16
const silentMs = 500
