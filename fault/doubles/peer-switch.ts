import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

/** The folder in which an experiment creates a file to make a peer slow: named as the peer, with the milliseconds that it takes to answer. */
export const peerSwitchVariable = 'FAULT_PEER_SWITCH'

/** A wait for as long as the file of the peer says, and none while there is no file. The file is read twenty times a second. */
export function makePeerDelay(peer: 'network' | 'sms'): (signal: AbortSignal) => Promise<void> {
  const file = join(process.env[peerSwitchVariable] ?? '', peer)
  let delayMs = 0
  setInterval(() => (delayMs = readDelayMs(file)), 50).unref()
  return async (signal) => {
    if (delayMs > 0) await pause(delayMs, undefined, { signal })
  }
}

function readDelayMs(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'))
  } catch {
    return 0
  }
}
