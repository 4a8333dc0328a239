import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { wordsOf } from '../../app/language.ts'
import { pathOf } from '../../app/router.ts'
import { session } from '../../app/session-state.ts'
import { keepNamed, namedMax, pathOfFilter, readNamed, type Filter } from './filter.ts'
import { requestWords } from './request-words.ts'

/** The user's named filters, as links, and a field that names the present one. */
export function Named({ filter }: { filter: Filter }) {
  const text = wordsOf(requestWords)
  const userId = session.value?.userId ?? ''
  const named = useSignal(readNamed(userId))
  const name = useSignal('')
  const id = useId()
  const keep = (next: typeof named.value): void => {
    named.value = next
    keepNamed(userId, next)
  }
  const path = pathOfFilter(filter)
  const isOpen = Object.keys(filter).length > 0 && !named.value.some((each) => pathOfFilter(each.filter) === path)
  const isFull = named.value.length >= namedMax
  if (named.value.length === 0 && !isOpen) return null
  return (
    <div class="tools named">
      {named.value.map((each) => (
        <span key={each.name} class="kept">
          <a href={pathOf(pathOfFilter(each.filter))}>{each.name}</a>
          <button type="button" aria-label={text.forget(each.name)} onClick={() => keep(named.value.filter((other) => other !== each))}>
            ×
          </button>
        </span>
      ))}
      {isOpen && isFull && <p>{text.full(namedMax)}</p>}
      {isOpen && !isFull && (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const wanted = name.value.trim()
            if (wanted === '') return
            keep([...named.value.filter((each) => each.name !== wanted), { name: wanted, filter }])
            name.value = ''
          }}
        >
          <label class="unseen" for={id}>
            {text.nameIt}
          </label>
          <input
            id={id}
            maxLength={40}
            placeholder={text.nameIt}
            value={name.value}
            onInput={(event) => (name.value = event.currentTarget.value)}
          />
          <button type="submit">{text.keepIt}</button>
        </form>
      )}
    </div>
  )
}
