import { signal, type ReadonlySignal } from '@preact/signals'
import type { Language } from '@tessera/contract/profile'
import type { ComponentChild } from 'preact'
import { useEffect } from 'preact/hooks'

import { ErrorMessage, Loading } from '../components/query-result.tsx'
import { DashboardCallError } from './api.ts'
import { language } from './language.ts'

/** Defined by the build: the hash in the names of all message files. */
declare const messagesHash: string

/** A table of messages that is not part of the script: each language is a file of its own, fetched when a page first needs it. */
export interface LazyMessages<M> {
  /** The messages in the current language, or in the previous one while the new ones are being fetched. Throws before `useMessages` has loaded them. */
  current(): M
  readonly isLoaded: ReadonlySignal<boolean>
  readonly error: ReadonlySignal<DashboardCallError | null>
  /** Fetches the messages in the current language unless they are loaded already. */
  load(): void
  /** A load that is running no longer reports its error. */
  cancel(): void
}

export function createLazyMessages<M extends object>(table: string): LazyMessages<M> {
  const loaded = signal<{ readonly language: Language; readonly messages: M } | null>(null)
  const isLoaded = signal(false)
  const error = signal<DashboardCallError | null>(null)
  let latestLoad = 0
  const lazyMessages: LazyMessages<M> = {
    isLoaded,
    error,
    current() {
      if (loaded.value === null) throw new Error(`the messages of ${table} have not been loaded`)
      return loaded.value.messages
    },
    load() {
      const wanted = language.value
      const thisLoad = ++latestLoad
      error.value = null
      if (loaded.value?.language === wanted) return
      fetchMessages(`${table}.${wanted}-${messagesHash}.json`).then(
        (messages) => {
          if (language.value !== wanted) return
          loaded.value = { language: wanted, messages: messages as M }
          isLoaded.value = true
        },
        () => {
          if (thisLoad === latestLoad) error.value = new DashboardCallError({ code: 0, message: '', reason: 'no_connection' })
        },
      )
    },
    cancel() {
      latestLoad++
      error.value = null
    },
  }
  allTables.push(lazyMessages)
  return lazyMessages
}

const allTables: LazyMessages<unknown>[] = []

/**
 * Loads the messages that a page needs. Returns what to render until they have arrived (a placeholder, or the error with a button to retry), and null from
 * then on. Call it after the hooks that load the page's data, so that both are fetched at once.
 *
 *     const loading = useMessages(cardPageText)
 *     if (loading !== null) return loading
 *     const text = cardPageText.current()
 */
export function useMessages(...tables: readonly LazyMessages<unknown>[]): ComponentChild {
  useEffect(() => {
    for (const table of tables) table.load()
    return () => {
      for (const table of tables) table.cancel()
    }
  }, [language.value])
  if (tables.every(({ isLoaded }) => isLoaded.value)) return null
  return renderFirstError(tables) ?? <Loading />
}

/**
 * Shown above a page that stays in the previous language because its messages in the current one could not be fetched. The page itself stays as it is, so
 * that nothing typed into it is lost.
 */
export function MessagesError() {
  return renderFirstError(allTables.filter(({ isLoaded }) => isLoaded.value))
}

function renderFirstError(tables: readonly LazyMessages<unknown>[]): ComponentChild {
  const failed = tables.filter(({ error }) => error.value !== null)
  const [first] = failed
  if (first === undefined) return null
  const retry = (): void => {
    for (const table of failed) table.load()
  }
  return <ErrorMessage error={first.error.value} onRetry={retry} />
}

async function fetchMessages(file: string): Promise<unknown> {
  const response = await fetch(`/dashboard/assets/${file}`, { signal: AbortSignal.timeout(fetchTimeoutMs) })
  if (!response.ok) throw new Error(String(response.status))
  return response.json()
}

const fetchTimeoutMs = 20_000
