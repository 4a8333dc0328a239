import '../../app/common.ts'
import { useSignal } from '@preact/signals'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'

import { call } from '../../app/api.ts'
import { typedCardNumber } from '../../app/card-number-guard.ts'
import { messages } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { navigate } from '../../app/router.ts'
import { closeSearch, openSearch, typedAhead } from '../../app/search-state.ts'
import { ErrorMessage } from '../../components/query-result.tsx'
import { useAction } from '../../hooks/use-action.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { cardPageText, reasonText, receiptPageText, searchText } from '../../messages/page-texts.ts'
import { SearchOptionText } from './search-option.tsx'
import { groupHits, isSentWhileTyped, noHits, pagesNamed, type SearchResult, type SearchOption, targetOf } from './search-results.ts'

/** The search of the whole dashboard: a combobox whose list has the results by kind (WAI-ARIA, editable combobox with list autocomplete). */
export function SearchDialog() {
  const dialog = useRef<HTMLDialogElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const hasLeft = useRef(false)
  const loading = useMessages(searchText, receiptPageText, cardPageText, reasonText)
  useLayoutEffect(() => {
    const opener = document.activeElement
    dialog.current?.showModal()
    return () => {
      if (!hasLeft.current && opener instanceof HTMLElement) opener.focus()
    }
  }, [])
  return (
    <dialog ref={dialog} class="search" aria-label={messages.value.search} onClose={closeSearch} onClick={closeOnBackdrop}>
      {loading ?? <SearchBox input={input} onLeave={() => (hasLeft.current = true)} />}
    </dialog>
  )
}

function closeOnBackdrop({ target, currentTarget }: { target: EventTarget | null; currentTarget: HTMLDialogElement }): void {
  if (target === currentTarget) currentTarget.close()
}

interface SearchBoxProps {
  readonly input: { readonly current: HTMLInputElement | null }
  readonly onLeave: () => void
}

function SearchBox({ input, onLeave }: SearchBoxProps) {
  const text = searchText.current()
  const id = useId()
  const search = useSearch()
  const selected = useSignal(0)
  const pages = (openSearch.value ?? []).map((name) => ({ name, label: messages.value.pages[name] }))
  const groups = groupHits(search.hits.value, pagesNamed(pages, search.typed.value))
  const options = groups.flatMap((group) => group.options)
  const current = Math.min(selected.value, options.length - 1)
  // Before the next key: a later effect would take the place of what was typed meanwhile.
  useLayoutEffect(() => {
    input.current?.focus()
    if (typedAhead.value !== '') search.type(typedAhead.value, false)
    typedAhead.value = ''
  }, [])
  useEffect(() => void (selected.value = 0), [search.hits.value, search.typed.value])
  useEffect(() => document.getElementById(`${id}-${String(current)}`)?.scrollIntoView({ block: 'nearest' }), [current])

  const open = (option: SearchOption): void => {
    const { path, hidden = {} } = targetOf(option)
    onLeave()
    // Nothing outside of a modal dialog can be focused.
    input.current?.closest('dialog')?.close()
    navigate(path, { hidden })
    document.getElementById('page')?.focus({ preventScroll: true })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = steps[event.key]
    if (step !== undefined && options.length > 0) {
      event.preventDefault()
      selected.value = step(current, options.length)
    }
    if (event.key !== 'Enter' || event.isComposing) return
    event.preventDefault()
    const option = options[current]
    if (search.isPending.value) search.searchNow()
    else if (option !== undefined) open(option)
  }
  return (
    <>
      <input
        ref={input}
        type="text"
        inputMode="search"
        enterkeyhint="search"
        role="combobox"
        list={undefined}
        aria-expanded={options.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-label={messages.value.search}
        aria-describedby={`${id}-hint`}
        {...(options.length > 0 ? { 'aria-activedescendant': `${id}-${String(current)}` } : {})}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={128}
        placeholder={text.placeholder}
        value={search.typed.value}
        onInput={({ currentTarget, inputType }: InputEvent & { currentTarget: HTMLInputElement }) => {
          search.type(currentTarget.value, inputType === 'insertFromPaste' || typedCardNumber.peek()?.field === currentTarget)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={`${id}-list`} class="search-list" role="listbox" aria-label={text.results} aria-busy={search.isBusy.value}>
        {groups.map(({ kind, options: listed }) => (
          <div key={kind} role="group" aria-labelledby={`${id}-${kind}`}>
            <h3 id={`${id}-${kind}`} role="presentation">
              {text.kinds[kind]}
            </h3>
            {listed.map((option) => {
              const at = options.indexOf(option)
              return (
                <div
                  key={at}
                  id={`${id}-${String(at)}`}
                  role="option"
                  aria-selected={at === current}
                  onMouseMove={() => (selected.value = at)}
                  onClick={() => open(option)}
                >
                  <SearchOptionText option={option} />
                </div>
              )
            })}
          </div>
        ))}
      </div>
      <ErrorMessage error={search.error.value} />
      <p id={`${id}-hint`} class="search-hint">
        {search.typed.value === '' ? text.hint : ''}
      </p>
      <p class="search-status" role="status">
        {statusOf(search, options.length)}
      </p>
    </>
  )
}

function statusOf({ typed, isPending, isBusy, hits }: DashboardSearch, count: number): string {
  const text = searchText.current()
  if (typed.value.trim() === '') return ''
  if (isPending.value && !isBusy.value) return text.pressEnter
  if (isBusy.value) return ''
  const found = count === 0 ? text.none : formatMessage(text.found, count)
  return hits.value.unreadEntries > unreadNoticeMin ? `${found} ${formatMessage(text.preparing, hits.value.unreadEntries)}` : found
}

type DashboardSearch = ReturnType<typeof useSearch>

/** What is typed and what was found. A text is searched a moment after the last key; one that `isSentWhileTyped` holds back, with Enter. */
function useSearch() {
  const typed = useSignal('')
  const hits = useSignal<SearchResult>(noHits)
  /** The results are not those of the text. */
  const isPending = useSignal(false)
  const isBusy = useSignal(false)
  const { error, run } = useAction()
  const state = useRef({ timer: 0, call: new AbortController() })
  const stop = (): void => {
    clearTimeout(state.current.timer)
    state.current.call.abort()
  }
  useEffect(() => stop, [])
  const searchNow = (): void => {
    stop()
    const started = (state.current.call = new AbortController())
    const text = typed.value.trim()
    isBusy.value = true
    void run(async () => {
      try {
        const found = await call('dashboard.search.find', { text }, { signal: started.signal })
        if (started.signal.aborted) return
        hits.value = found
        isPending.value = false
      } catch (err) {
        if (!started.signal.aborted) throw err
      } finally {
        if (!started.signal.aborted) isBusy.value = false
      }
    })
  }
  const type = (text: string, isWhole: boolean): void => {
    stop()
    typed.value = text
    isBusy.value = false
    isPending.value = text.trim() !== ''
    if (text.trim() === '') hits.value = noHits
    else if (isWhole || isSentWhileTyped(text)) state.current.timer = window.setTimeout(searchNow, isWhole ? 0 : pauseMs)
    else hits.value = noHits
  }
  return { typed, hits, isPending, isBusy, error, type, searchNow }
}

const steps: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  PageDown: (at, count) => Math.min(at + 5, count - 1),
  PageUp: (at) => Math.max(at - 5, 0),
}

const pauseMs = 150
/** As in the list of receipts. */
const unreadNoticeMin = 1000
