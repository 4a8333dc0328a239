import { useSignal, type Signal } from '@preact/signals'
import { formLabels } from '@tessera/contract/frame'
import type { Result } from '@tessera/contract/methods'

import { useAsk } from '../../app/ask.ts'
import { language, languages } from '../../app/language.ts'
import { may } from '../../app/session-state.ts'
import { Answer } from '../../parts/answer.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Field } from '../../parts/field.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import { Choice } from './choice.tsx'
import { firstChoices, optionsOf, type Choices, type Shade } from './choices.ts'
import { writePolicy, writeSnippets, type Way } from './form-snippets.ts'
import { formText } from './form-text.ts'
import { Palette } from './palette.tsx'
import { Preview } from './preview.tsx'
import './form.css'

/** The form as a merchant wants it, beside what is chosen, and the code that makes it so. Nothing is kept: the code is the outcome. */
export function FormPage() {
  const text = formText.use()
  if (text === null) return formText.show()
  if (!may('developer')) return <Empty title={text.notYours} text={text.notYoursText} />
  return <Asking />
}

function Asking() {
  const asked = useAsk('dashboard.start.get', {})
  return <Answer asked={asked}>{(found) => <Builder place={placeOf(found)} />}</Answer>
}

function Builder({ place }: { place: Place }) {
  const text = formText.now()
  const choices = useSignal<Choices>(firstChoices(language.peek()))
  const picked = useSignal<Shade>('light')
  const { scheme } = choices.value
  // A theme of one scheme has that one shade.
  const shade = scheme === 'auto' ? picked.value : scheme
  const options = optionsOf(choices.value)
  const shown = { ...options, theme: { ...options.theme, scheme: shade } }
  return (
    <>
      <p class="builder-intro">{text.intro}</p>
      <div class="builder">
        <div class="builder-side">
          <Layout choices={choices} />
          <Palette choices={choices} shade={shade} onShade={(wanted) => (picked.value = wanted)} />
          <Labels choices={choices} />
        </div>
        <Preview merchantId={place.merchantId} origin={place.origin} options={shown} />
      </div>
      <Code place={place} options={options} />
    </>
  )
}

type Place = Pick<Result<'dashboard.start.get'>, 'merchantId' | 'sdk'> & { readonly origin: string }

/** In the test environment the form is on 127.0.0.1 of our own port. */
function placeOf({ merchantId, sdk, formOrigin }: Result<'dashboard.start.get'>): Place {
  return { merchantId, sdk, origin: formOrigin ?? `http://127.0.0.1:${location.port}` }
}

function Layout({ choices }: { choices: Signal<Choices> }) {
  const text = formText.now()
  const { scheme, layout, locale, direction, save, hasButton } = choices.value
  const change = (changed: Partial<Choices>): void => void (choices.value = { ...choices.value, ...changed })
  return (
    <section class="panel">
      <h2>{text.layout}</h2>
      <div class="builder-choices">
        <Choice
          legend={text.preset}
          name="layout"
          value={layout}
          options={text.layouts}
          onChange={(wanted) => change({ layout: wanted })}
        />
        <Choice
          legend={text.scheme}
          name="scheme"
          value={scheme}
          options={text.schemes}
          onChange={(wanted) => change({ scheme: wanted })}
        />
        <Choice legend={text.locale} name="locale" value={locale} options={languages} onChange={(wanted) => change({ locale: wanted })} />
        <Choice
          legend={text.direction}
          name="direction"
          value={direction}
          options={text.directions}
          onChange={(wanted) => change({ direction: wanted })}
        />
        <Choice legend={text.save} name="save" value={save} options={text.saves} onChange={(wanted) => change({ save: wanted })} />
        <Choice
          legend={text.button}
          name="button"
          value={hasButton ? 'own' : 'yours'}
          options={text.buttons}
          onChange={(wanted) => change({ hasButton: wanted === 'own' })}
        />
      </div>
    </section>
  )
}

function Labels({ choices }: { choices: Signal<Choices> }) {
  const text = formText.now()
  const { labels } = choices.value
  return (
    <details class="panel">
      <summary>
        <h2>{text.labels}</h2>
      </summary>
      <p class="note">{text.labelsNote}</p>
      <div class="builder-labels">
        {formLabels.map((name) => (
          <Field
            key={name}
            label={text.labelNames[name]}
            value={labels[name] ?? ''}
            maxLength={60}
            onInput={(value) => (choices.value = { ...choices.value, labels: { ...labels, [name]: value } })}
          />
        ))}
      </div>
    </details>
  )
}

function Code({ place, options }: { place: Place; options: ReturnType<typeof optionsOf> }) {
  const text = formText.now()
  const way = useSignal<Way>('script')
  return (
    <section class="panel builder-code">
      <h2>{text.code}</h2>
      <Choice legend={text.way} name="way" value={way.value} options={text.ways} onChange={(wanted) => (way.value = wanted)} />
      {writeSnippets(way.value, place, options).map(([name, snippet]) => (
        <Snippet key={name} label={name} text={snippet} />
      ))}
      <Snippet label={text.policy} text={writePolicy(way.value, place)} />
      <p class="note">{text.originsNote}</p>
    </section>
  )
}
