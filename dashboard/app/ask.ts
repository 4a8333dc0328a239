import { signal, type ReadonlySignal } from '@preact/signals'
import type { DashboardMethodName, Params, Result } from '@tessera/contract/methods'
import { useEffect, useMemo } from 'preact/hooks'

import { call, Refused } from './call.ts'

/** What a page waits for: nothing yet, an answer, or a refusal for the part `Refusal`. */
export interface Asked<T> {
  readonly result: ReadonlySignal<T | null>
  readonly refused: ReadonlySignal<Refused | null>
  /** Asks once more, with what was there left to be seen meanwhile. */
  again(): void
  /** The same for `useLive`; nothing while an answer is on its way, which would be forgotten. */
  renew(): void
}

/** Asks a method when the page is shown, and whenever its params are others. An answer that comes too late is forgotten. */
export function useAsk<M extends DashboardMethodName>(method: M, params: Params<M>): Asked<Result<M>> {
  const key = JSON.stringify(params)
  const asked = useMemo(() => makeAsked(method, params), [method, key])
  useEffect(() => {
    asked.again()
    return asked.forget
  }, [asked])
  return asked
}

function makeAsked<M extends DashboardMethodName>(method: M, params: Params<M>): Asked<Result<M>> & { forget: () => void } {
  const result = signal<Result<M> | null>(null)
  const refused = signal<Refused | null>(null)
  let turn = 0
  let isAsking = false
  async function again(): Promise<void> {
    const mine = ++turn
    isAsking = true
    try {
      const answer = await call(method, params)
      if (mine !== turn) return
      result.value = answer
      refused.value = null
    } catch (err) {
      if (mine === turn) refused.value = asRefused(err)
    } finally {
      if (mine === turn) isAsking = false
    }
  }
  return {
    ...{ result, refused },
    again: () => void again(),
    renew() {
      if (!isAsking) void again()
    },
    forget() {
      turn++
    },
  }
}

/** What nobody foresaw is shown as such. */
export function asRefused(err: unknown): Refused {
  return err instanceof Refused ? err : new Refused({ code: 0, message: '', reason: 'unforeseen' })
}
