import { signal } from '@preact/signals'
import type { Language } from '@tessera/contract/profile'
import type { ComponentChild } from 'preact'
import { useEffect } from 'preact/hooks'

import { Refusal } from '../parts/refusal.tsx'
import { Waiting } from '../parts/waiting.tsx'
import { Refused } from './call.ts'
import { language } from './language.ts'

/** Of the build: the file of each page and language. */
declare const longWordsFiles: Readonly<Record<string, Readonly<Record<Language, string>>>>

/** The words of a page that has many: no part of the script, but a file a language that is fetched when the page is first shown. */
export interface LongWords<W> {
  /** For the page itself, as a hook: null until they have come. */
  use(): W | null
  /** Instead of the page, until then. */
  show(): ComponentChild
  /** For what stands in the page: of the present language, or of the one before while that is on its way. */
  now(): W
}

export function makeLongWords<W extends object>(page: string): LongWords<W> {
  const come = signal<{ readonly of: Language; readonly words: W } | null>(null)
  const refused = signal<Refused | null>(null)
  let turn = 0
  const load = (): void => {
    const of = language.value
    const mine = ++turn
    refused.value = late.value = null
    if (come.value?.of === of) return
    fetchWords(longWordsFiles[page]?.[of] ?? '').then(
      (words) => {
        if (language.value === of) come.value = { of, words: words as W }
      },
      () => {
        if (mine !== turn) return
        refused.value = new Refused({ code: 0, message: '', reason: 'no_connection' })
        if (come.value !== null) late.value = { refused: refused.value, load }
      },
    )
  }
  const forget = (): void => {
    turn++
    late.value = null
  }
  return {
    use() {
      useEffect(() => {
        load()
        return forget
      }, [language.value])
      return come.value?.words ?? null
    },
    show: () => (refused.value === null ? <Waiting /> : <Refusal refused={refused.value} onAgain={load} />),
    now() {
      if (come.value === null) throw new Error('the words have not come')
      return come.value.words
    },
  }
}

/** The words of the page that is shown, which stand in the language before because those of the present one did not come. */
const late = signal<{ readonly refused: Refused; load(): void } | null>(null)

/** Says so above the page, which stays as it is: what was typed into it is not lost. */
export function LateWords() {
  return late.value && <Refusal refused={late.value.refused} onAgain={late.value.load} />
}

/** Puts values into the places {0}, {1} … of a text. */
export function fill(text: string, ...values: readonly (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (_place, at: string) => String(values[Number(at)] ?? ''))
}

async function fetchWords(file: string): Promise<unknown> {
  const reply = await fetch(`/dashboard/assets/${file}`, { signal: AbortSignal.timeout(wordsMs) })
  if (!reply.ok) throw new Error(String(reply.status))
  return reply.json()
}

const wordsMs = 20_000
