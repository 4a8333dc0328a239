import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A free port of 127.0.0.1, for programs that need to be given one. It is below the ephemeral ports of the system (from 32768 on Linux, 49152
 * elsewhere), so that no connection takes it before it is used. Two callers at the same time may get the same port, and should retry.
 */
export async function findFreePort(draw = (): number => randomInt(portMin, portEnd)): Promise<number> {
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const port = draw()
    if (await isFree(port)) return port
  }
  throw new Error(`No port between ${portMin} and ${portEnd} is free.`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

const maxAttempts = 100
const portMin = 20_000
const portEnd = 32_768
