import { useEffect } from 'preact/hooks'

import { messages } from './language.ts'
import { lazyPage } from './lazy-page.tsx'
import { visiblePages } from './pages.ts'
import { openSearch, typedAhead } from './search-state.ts'

const SearchDialog = lazyPage(async () => (await import('../pages/search/search-dialog.tsx')).SearchDialog)

/** The button that opens the search, and its keys: `/` outside of fields, and Ctrl-K or ⌘K everywhere. */
export function GlobalSearch() {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTypedAhead(event)) {
        event.preventDefault()
        typedAhead.value += event.key
        return
      }
      if (!isSearchKey(event) || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      open()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  const text = messages.value
  return (
    <>
      <button type="button" class="search-open" aria-keyshortcuts="/ Control+K" onPointerEnter={SearchDialog.load} onClick={open}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M7 2a5 5 0 1 1 0 10A5 5 0 0 1 7 2Zm3.6 8.6L14 14" />
        </svg>
        <span>{text.search}</span>
        <kbd aria-hidden="true">/</kbd>
      </button>
      {openSearch.value !== null && <SearchDialog />}
    </>
  )
}

function open(): void {
  openSearch.value = visiblePages().map(({ name }) => name)
}

/** A character for the search, which was opened and is still being loaded. */
function isTypedAhead({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isLoading = openSearch.value !== null && document.querySelector('dialog.search input') === null
  return isLoading && key.length === 1 && !ctrlKey && !metaKey && !altKey
}

function isSearchKey({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent): boolean {
  if ((ctrlKey || metaKey) && !altKey) return key.toLowerCase() === 'k'
  if (key !== '/' || altKey) return false
  return !(target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null)
}
