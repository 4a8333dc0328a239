import type { MessagePort, Worker } from 'node:worker_threads'

import { ownBytes } from '../../store/sqlite/own-bytes.ts'
import { StoreFull, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } from '../../store/store.ts'

/** The calls that one thread handles for another: by name, what is passed and what is returned. */
export type ChannelCalls = { readonly [name: string]: { readonly input: unknown; readonly result: unknown } }

export type ChannelHandlers<C extends ChannelCalls> = {
  readonly [N in keyof C]: (input: C[N]['input']) => C[N]['result'] | Promise<C[N]['result']>
}

/** Calls between two threads. */
export interface Channel<C extends ChannelCalls> {
  /** Errors of the store keep their class, others become an `Error`. */
  call<N extends keyof C & string>(name: N, input: C[N]['input']): Promise<C[N]['result']>
  /** A call whose result nobody waits for. */
  notify<N extends keyof C & string>(name: N, input: C[N]['input']): void
  /** The other thread has ended: rejects the calls that wait, and later ones. */
  end(cause: Error): void
}

/** Sends calls over a port, and handles those that come. `onFailed` is told of a call that was not waited for and failed. */
export function openChannel<Sent extends ChannelCalls, Handled extends ChannelCalls>(
  port: MessagePort | Worker,
  handlers: ChannelHandlers<Handled>,
  onFailed: (name: string, err: unknown) => void,
): Channel<Sent> {
  const waiting = new Map<number, { readonly resolve: (result: never) => void; readonly reject: (err: Error) => void }>()
  let lastId = 0
  let ended: Error | null = null
  port.on('message', (message: ChannelMessage) => {
    if ('name' in message) void handle(message)
    else settle(message)
  })
  return {
    call(name, input) {
      if (ended !== null) return Promise.reject(ended)
      return new Promise((resolve, reject) => {
        const id = ++lastId
        waiting.set(id, { resolve, reject })
        post({ id, name, input })
      })
    },
    notify: (name, input) => post({ id: null, name, input }),
    end(cause) {
      ended ??= cause
      for (const { reject } of waiting.values()) reject(ended)
      waiting.clear()
    },
  }

  function post(message: ChannelMessage): void {
    if (ended === null) port.postMessage(ownBytes(message))
  }

  async function handle({ id, name, input }: SentCall): Promise<void> {
    try {
      const result: unknown = await handlers[name]?.(input)
      if (id !== null) post({ id, result })
    } catch (err) {
      if (id === null) onFailed(name, err)
      else post({ id, failed: err instanceof Error ? err.message : String(err), kind: kindOf(err) })
    }
  }

  function settle(reply: CallReply): void {
    const call = waiting.get(reply.id)
    waiting.delete(reply.id)
    if ('failed' in reply) call?.reject(new errorClasses[reply.kind](reply.failed))
    else call?.resolve(reply.result as never)
  }
}

interface SentCall {
  /** Null: nobody waits for its end. */
  readonly id: number | null
  readonly name: string
  readonly input: unknown
}

type CallReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly failed: string; readonly kind: keyof typeof errorClasses }

type ChannelMessage = SentCall | CallReply

const errorClasses = { Error, StoreFull, StoreOutcomeUnknown, StoreOverloaded, StoreUnavailable } as const

/** The nearest class that the other thread can throw. */
function kindOf(err: unknown): keyof typeof errorClasses {
  if (err instanceof StoreFull) return 'StoreFull'
  if (err instanceof StoreOutcomeUnknown) return 'StoreOutcomeUnknown'
  if (err instanceof StoreOverloaded) return 'StoreOverloaded'
  return err instanceof StoreUnavailable ? 'StoreUnavailable' : 'Error'
}
