import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { Saving } from './saving.tsx'
import type { PartOfSettings } from './settings-part.ts'
import { settingsText } from './settings-text.ts'

/** From where the merchant's pages call, one to a line. */
export function Origins({ settings, onChanged }: PartOfSettings) {
  const text = settingsText.now()
  const id = useId()
  const typed = useSignal(settings.origins.join('\n'))
  const wanted = () => ({
    origins: typed.value
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  })
  return (
    <Saving title={text.origins} wanted={wanted} onSaved={onChanged}>
      <div class="field">
        <label class="unseen" for={id}>
          {text.origins}
        </label>
        <textarea
          id={id}
          rows={4}
          spellcheck={false}
          value={typed.value}
          aria-describedby={`${id}-hint`}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
        <small id={`${id}-hint`}>{text.originsHint}</small>
      </div>
    </Saving>
  )
}
