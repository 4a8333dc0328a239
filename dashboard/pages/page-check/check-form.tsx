import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { call, type Refused } from '../../app/call.ts'
import { useDeed } from '../../app/deed.ts'
import { language } from '../../app/language.ts'
import { fill } from '../../app/long-words.tsx'
import { session } from '../../app/session-state.ts'
import { Field } from '../../parts/field.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { pageCheckText } from './page-check-text.ts'
import type { PageCheckWords } from './page-check-words.ts'

/** Asks for a check: of an address, or of a source that is pasted. `onChecked` is told the page that has a new report. */
export function CheckForm({ first, onChecked }: { first: string; onChecked: (page: string) => void }) {
  const text = pageCheckText.now()
  const [url, html] = [useSignal(first === 'pasted' ? '' : first), useSignal('')]
  const isPasted = useSignal(false)
  const isTooLong = useSignal(false)
  const { isBusy, refused, run } = useDeed()
  const check = async (): Promise<void> => {
    const wanted = isPasted.value ? { html: withoutDigits(html.value) } : { url: url.value.trim() }
    isTooLong.value = new Blob([JSON.stringify(wanted)]).size > bodyBytesMax
    if (isTooLong.value) return
    onChecked((await call('dashboard.pageCheck.run', { ...wanted, locale: language.value })).page)
  }
  return (
    <form
      class="panel"
      onSubmit={(event) => {
        event.preventDefault()
        void run(check)
      }}
    >
      <fieldset class="range">
        <legend class="unseen">{text.way}</legend>
        {[false, true].map((pasted) => (
          <label key={String(pasted)}>
            <input type="radio" name="way" checked={isPasted.value === pasted} onChange={() => (isPasted.value = pasted)} />
            <span>{pasted ? text.byPaste : text.byAddress}</span>
          </label>
        ))}
      </fieldset>
      {isPasted.value ? (
        <Source value={html.value} onInput={(value) => (html.value = value)} text={text} />
      ) : (
        <Field
          {...{ label: text.address, type: 'url', value: url.value, maxLength: 2048, isRequired: true }}
          hint={session.value?.environment === 'test' ? text.addressHintTest : text.addressHint}
          onInput={(value) => (url.value = value)}
        />
      )}
      <p role="alert">{isTooLong.value ? text.tooLong : ''}</p>
      <WhyNot refused={refused.value} text={text} />
      <button type="submit" class="main" disabled={isBusy.value}>
        {isBusy.value ? text.checking : text.check}
      </button>
    </form>
  )
}

function Source({ value, onInput, text }: { value: string; onInput: (value: string) => void; text: PageCheckWords }) {
  const id = useId()
  return (
    <div class="field source">
      <label for={id}>{text.html}</label>
      <textarea
        {...{ id, rows: 10, required: true, spellcheck: false, 'aria-describedby': `${id}-hint` }}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <small id={`${id}-hint`}>{text.htmlHint}</small>
    </div>
  )
}

/** The word for why a page was not checked, as a sentence; every other refusal as everywhere. */
function WhyNot({ refused, text }: { refused: Refused | null; text: PageCheckWords }) {
  const { reason, data } = refused?.body ?? {}
  if (reason !== 'page_not_checked' || typeof data !== 'string') return <Refusal refused={refused} />
  const why: Readonly<Record<string, string>> = text.why
  const [, status] = /^status_(\d{3})$/.exec(data) ?? []
  const said = status === undefined ? (why[data] ?? data) : fill(text.why.status, status)
  return (
    <div class="refusal" role="alert">
      <p>{fill(text.notChecked, said)}</p>
      <code>{data}</code>
    </div>
  )
}

/** A card number has no business on its way to us, not even in the example of a page: the length stays, so that columns are right. */
function withoutDigits(html: string): string {
  return html.replace(/\d(?:[ .-]?\d){11,18}/g, (run) => run.replace(/\d/g, '0'))
}

const bodyBytesMax = 65_000
