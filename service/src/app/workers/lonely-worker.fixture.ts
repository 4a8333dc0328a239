import { existsSync } from 'node:fs'
import { Socket } from 'node:net'
import { isMainThread, workerData } from 'node:worker_threads'

// Loaded into every thread of a service: the second worker alone cannot connect to a port while the file is there, as if it had no route to it.

const file = process.env['TEST_UNREACHABLE_FILE'] ?? ''
const port = Number(process.env['TEST_UNREACHABLE_PORT'] ?? 0)
const { number } = (workerData ?? {}) as { readonly number?: number }
if (!isMainThread && number === 2) {
  const { connect } = Socket.prototype
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]) {
    const [options] = args.flat() as { port?: number | string }[]
    if (Number(options?.port) !== port || !existsSync(file)) return Reflect.apply(connect, this, args) as Socket
    // Not before whoever connects listens for its error.
    setImmediate(() => this.destroy(Object.assign(new Error('no route to it'), { code: 'EHOSTUNREACH' })))
    return this
  }
}
