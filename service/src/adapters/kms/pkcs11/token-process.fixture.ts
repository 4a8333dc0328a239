import { appendFileSync, existsSync, readFileSync } from 'node:fs'

import { otherKey, type TokenCall, type TokenReply } from './messages.ts'

// A double of the token's process: a module that answers, blocks, crashes or refuses cannot be had from a real token on demand. The label of the key says
// what it does with the call after the opening; the key is no key, it only returns what it got.

let keyLabel = ''
/** How many processes were started before this one for the same test. */
let earlier = 0

process.on('message', (message) => {
  const { id, request } = message as TokenCall
  if (request.kind === 'open') {
    keyLabel = request.names.keyLabel
    earlier = countStarts(request.modulePath)
    process.send?.(open(id, request.check !== null))
    return
  }
  if (keyLabel === 'blocks') return
  const isExchanged = keyLabel === 'changes' || keyLabel === 'imitates'
  if (keyLabel === 'crashes' || keyLabel === 'refusesLater' || (isExchanged && earlier === 0)) process.kill(process.pid, 'SIGSEGV')
  const bytes = request.kind === 'wrap' ? request.key : request.wrapped
  const isAway = keyLabel === 'away' && earlier === 0
  process.send?.(isAway ? { id, kind: 'unavailable', message: 'CKR_DEVICE_REMOVED' } : { id, kind: 'bytes', bytes })
})
process.on('disconnect', () => process.exit())

function open(id: number, hasCheck: boolean): TokenReply {
  if (keyLabel === 'refuses' || (keyLabel === 'refusesLater' && earlier > 0))
    return { id, kind: 'refused', message: 'the token refused the PIN' }
  if (keyLabel === 'missing') return { id, kind: 'missing', message: 'the token has no AES key' }
  if (keyLabel === 'absent' || (keyLabel === 'away' && earlier === 1)) return { id, kind: 'absent', message: 'there is no token' }
  const isExchanged = keyLabel === 'changes' && earlier === 1
  if (keyLabel === 'imitates' && hasCheck && earlier === 1) return { id, kind: 'other', message: otherKey }
  return { id, kind: 'opened', keyId: isExchanged ? 'key-2' : 'key-1', check: new Uint8Array(1) }
}

function countStarts(path: string): number {
  const before = existsSync(path) ? readFileSync(path, 'utf8').length : 0
  appendFileSync(path, '.')
  return before
}
