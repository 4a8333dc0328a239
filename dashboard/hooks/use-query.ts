import { signal, type ReadonlySignal } from '@preact/signals'
import type { DashboardOperationName, Params, Result } from '@tessera/contract/operations'
import { useEffect, useMemo } from 'preact/hooks'

import { call, type DashboardCallError } from '../app/api.ts'
import { showOrRepeat } from './show-or-repeat.ts'

/** The state of a query: no result yet, a result, or an error for `ErrorMessage`. */
export interface ApiQuery<T> {
  readonly result: ReadonlySignal<T | null>
  readonly error: ReadonlySignal<DashboardCallError | null>
  /** Calls the method again. The previous result stays until the new one arrives. */
  refetch(): void
  /** The same for `usePolling`. Does nothing while a call is in flight, whose response would otherwise be dropped. */
  refetchIfIdle(): void
}

/** Calls a method when the component mounts and whenever its params change. A response that arrives too late is dropped. */
export function useQuery<M extends DashboardOperationName>(method: M, params: Params<M>): ApiQuery<Result<M>> {
  const key = JSON.stringify(params)
  const query = useMemo(() => createQuery(method, params), [method, key])
  useEffect(() => {
    query.refetch()
    return query.cancel
  }, [query])
  return query
}

function createQuery<M extends DashboardOperationName>(method: M, params: Params<M>): ApiQuery<Result<M>> & { cancel: () => void } {
  const result = signal<Result<M> | null>(null)
  const error = signal<DashboardCallError | null>(null)
  let latestCall = 0
  let isInFlight = false
  async function fetchResult(): Promise<void> {
    const thisCall = ++latestCall
    isInFlight = true
    try {
      const response = await call(method, params)
      if (thisCall !== latestCall) return
      result.value = response
      error.value = null
    } catch (err) {
      if (thisCall === latestCall) showOrRepeat(error, err, () => thisCall === latestCall && fetchResult())
    } finally {
      if (thisCall === latestCall) isInFlight = false
    }
  }
  return {
    result,
    error,
    refetch: () => void fetchResult(),
    refetchIfIdle() {
      if (!isInFlight) void fetchResult()
    },
    cancel() {
      latestCall++
    },
  }
}
