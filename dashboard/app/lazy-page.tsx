import { signal } from '@preact/signals'
import type { ComponentChild } from 'preact'
import { useEffect } from 'preact/hooks'

import { ErrorMessage, Loading } from '../components/query-result.tsx'
import { DashboardCallError } from './api.ts'

/** A page whose script is not part of the first one. */
export interface LazyPage {
  (): ComponentChild
  /** Begins to load the script, unless that was begun already. */
  load(): void
}

/** Renders a placeholder until the script of a page has arrived, and an error when it cannot be loaded, for instance after an upgrade of the service. */
export function lazyPage(importPage: () => Promise<() => ComponentChild>): LazyPage {
  const loaded = signal<{ readonly Page: () => ComponentChild } | null>(null)
  const error = signal<DashboardCallError | null>(null)
  let isBegun = false
  const load = (): void => {
    if (isBegun) return
    isBegun = true
    importPage().then(
      (Page) => (loaded.value = { Page }),
      () => (error.value = new DashboardCallError({ code: 0, message: '', reason: 'no_connection' })),
    )
  }
  return Object.assign(
    () => {
      useEffect(load, [])
      // A browser remembers that a module could not be fetched, and the document of an upgraded service names other files.
      if (error.value !== null) return <ErrorMessage error={error.value} onRetry={() => location.reload()} />
      if (loaded.value === null) return <Loading />
      const { Page } = loaded.value
      return <Page />
    },
    { load },
  )
}
