import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port of 127.0.0.1 on which nobody listens, for programs that have to be told one. It lies below those that the system hands out by itself (from 32768 on
 * Linux, 49152 elsewhere), so that no connection takes it before it is used. Two who ask at the same time may be given the same: who can starts again then.
 */
export async function findFreePort(draw = (): number => randomInt(portMin, portEnd)): Promise<number> {
  for (let tries = 1; tries <= triesMax; tries++) {
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

const triesMax = 100
const portMin = 20_000
const portEnd = 32_768
