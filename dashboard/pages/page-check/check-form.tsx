import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'

import { call, type DashboardCallError } from '../../app/api.ts'
import { language } from '../../app/language.ts'
import { session } from '../../app/session-state.ts'
import { Field } from '../../components/fields.tsx'
import { ErrorMessage } from '../../components/query-result.tsx'
import { EnglishCode } from '../../components/docs-link.tsx'
import { docsPath } from '../../components/docs-path.ts'
import { useAction } from '../../hooks/use-action.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { pageCheckText } from '../../messages/page-texts.ts'
import { isTooLongToSend, maskDigitRuns } from './page-source.ts'
import type { PageCheckMessages } from './page-check-messages.ts'

/** Checks a page by its address, or a pasted source. `onChecked` gets the page that has a new report. */
export function CheckForm({ initialUrl, onChecked }: { initialUrl: string; onChecked: (page: string) => void }) {
  const text = pageCheckText.current()
  const [url, html] = [useSignal(initialUrl === 'pasted' ? '' : initialUrl), useSignal('')]
  const isPasted = useSignal(false)
  const isTooLong = useSignal(false)
  const { isBusy, error, run } = useAction()
  const check = async (): Promise<void> => {
    const source = isPasted.value ? { html: maskDigitRuns(html.value) } : { url: url.value.trim() }
    isTooLong.value = isTooLongToSend(source)
    if (isTooLong.value) return
    onChecked((await call('dashboard.pageCheck.run', { ...source, locale: language.value })).page)
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
        <legend class="visually-hidden">{text.source}</legend>
        {[false, true].map((pasted) => (
          <label key={String(pasted)}>
            <input type="radio" name="way" checked={isPasted.value === pasted} onChange={() => (isPasted.value = pasted)} />
            <span>{pasted ? text.byPaste : text.byAddress}</span>
          </label>
        ))}
      </fieldset>
      {isPasted.value ? (
        <SourceField value={html.value} onInput={(value) => (html.value = value)} text={text} />
      ) : (
        <Field
          label={text.address}
          type="url"
          value={url.value}
          maxLength={2048}
          isRequired
          hint={session.value?.environment === 'test' ? text.addressHintTest : text.addressHint}
          onInput={(value) => (url.value = value)}
        />
      )}
      <p role="alert">{isTooLong.value ? text.tooLong : ''}</p>
      <CheckError error={error.value} text={text} />
      <button type="submit" class="main" disabled={isBusy.value}>
        {isBusy.value ? text.checking : text.check}
      </button>
    </form>
  )
}

function SourceField({ value, onInput, text }: { value: string; onInput: (value: string) => void; text: PageCheckMessages }) {
  const id = useId()
  return (
    <div class="field source">
      <label for={id}>{text.html}</label>
      <textarea
        id={id}
        rows={10}
        required
        spellcheck={false}
        aria-describedby={`${id}-hint`}
        value={value}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      <small id={`${id}-hint`}>{text.htmlHint}</small>
    </div>
  )
}

/** Why a page was not checked, as a sentence. Other errors are shown as everywhere. */
function CheckError({ error, text }: { error: DashboardCallError | null; text: PageCheckMessages }) {
  const { reason, data } = error?.body ?? {}
  if (reason !== 'page_not_checked' || typeof data !== 'string') return <ErrorMessage error={error} />
  const why: Readonly<Record<string, string>> = text.causes
  const [, status] = /^status_(\d{3})$/.exec(data) ?? []
  const cause = status === undefined ? (why[data] ?? data) : formatMessage(text.causes.status, status)
  return (
    <div class="error-message" role="alert">
      <p>{formatMessage(text.notChecked, cause)}</p>
      <EnglishCode code={data} href={docsPath.pageCheck} />
    </div>
  )
}
