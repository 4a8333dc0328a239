import { signal } from '@preact/signals'
import type { Language } from '@tessera/contract/profile'
import type { ComponentChild } from 'preact'
import { useEffect } from 'preact/hooks'

import { ErrorMessage, Loading } from '../components/query-result.tsx'
import { DashboardCallError } from './api.ts'
import { language } from './language.ts'

/** Defined by the build: the message file of each page and language. */
declare const messageFiles: Readonly<Record<string, Readonly<Record<Language, string>>>>

/**
 * The messages of a page with a lot of text. They are not part of the script: each language is a file of its own, fetched when the page is first shown.
 *
 *     const text = startPageText.use()
 *     if (text === null) return startPageText.placeholder()
 */
export interface LazyMessages<M> {
  /** A hook for the page itself: null until the messages have arrived. */
  use(): M | null
  /** Rendered instead of the page until then: a placeholder, or the error with a button to retry. */
  placeholder(): ComponentChild
  /** For components within the page: the messages in the current language, or in the previous one while the new ones are being fetched. */
  current(): M
}

export function createLazyMessages<M extends object>(page: string): LazyMessages<M> {
  const loaded = signal<{ readonly language: Language; readonly messages: M } | null>(null)
  const error = signal<DashboardCallError | null>(null)
  let latestLoad = 0
  const load = (): void => {
    const wanted = language.value
    const thisLoad = ++latestLoad
    error.value = staleLanguage.value = null
    if (loaded.value?.language === wanted) return
    fetchMessages(messageFiles[page]?.[wanted] ?? '').then(
      (messages) => {
        if (language.value === wanted) loaded.value = { language: wanted, messages: messages as M }
      },
      () => {
        if (thisLoad !== latestLoad) return
        error.value = new DashboardCallError({ code: 0, message: '', reason: 'no_connection' })
        if (loaded.value !== null) staleLanguage.value = { error: error.value, load }
      },
    )
  }
  const cancel = (): void => {
    latestLoad++
    staleLanguage.value = null
  }
  return {
    use() {
      useEffect(() => {
        load()
        return cancel
      }, [language.value])
      return loaded.value?.messages ?? null
    },
    placeholder: () => (error.value === null ? <Loading /> : <ErrorMessage error={error.value} onRetry={load} />),
    current() {
      if (loaded.value === null) throw new Error('the messages have not been loaded')
      return loaded.value.messages
    },
  }
}

/** Set while the page stays in the previous language because the messages of the current one could not be fetched. */
const staleLanguage = signal<{ readonly error: DashboardCallError; load(): void } | null>(null)

/** Says so above the page, which stays as it is, so that nothing typed into it is lost. */
export function MessagesError() {
  return staleLanguage.value && <ErrorMessage error={staleLanguage.value.error} onRetry={staleLanguage.value.load} />
}

async function fetchMessages(file: string): Promise<unknown> {
  const response = await fetch(`/dashboard/assets/${file}`, { signal: AbortSignal.timeout(fetchTimeoutMs) })
  if (!response.ok) throw new Error(String(response.status))
  return response.json()
}

const fetchTimeoutMs = 20_000
