import '../../app/common.ts'
import { type Signal, useSignal } from '@preact/signals'
import type { ColorScheme } from '@tessera/contract/appearance-reader'
import { formLabels } from '@tessera/contract/frame'
import type { Result } from '@tessera/contract/operations'

import { language, languageNames } from '../../app/language.ts'
import { useMessages } from '../../app/lazy-messages.tsx'
import { hasRole } from '../../app/session-state.ts'
import { Snippet } from '../../components/copy.tsx'
import { Field } from '../../components/fields.tsx'
import { QueryResult, EmptyState } from '../../components/query-result.tsx'
import { useQuery } from '../../hooks/use-query.ts'
import { formBuilderText } from '../../messages/page-texts.ts'
import { type FormDesign, initialDesign, isOfBothSchemes, toFrameOptions } from './form-design.ts'
import { type SnippetKind, formatPolicy, formSnippets } from './form-snippets.ts'
import { ThemeEditor } from './palette.tsx'
import { FormPreview } from './preview.tsx'
import { RadioGroup } from './radio-group.tsx'
import { RulesEditor } from './rules.tsx'

/** The form builder: settings, a live preview, and the code for the merchant's page. Nothing is stored; the code is the result. */
export function FormBuilderPage() {
  const loading = useMessages(formBuilderText)
  if (loading !== null) return loading
  const text = formBuilderText.current()
  if (!hasRole('developer')) return <EmptyState title={text.notAllowed} text={text.notAllowedText} next="none" />
  return <BuilderQuery />
}

function BuilderQuery() {
  const query = useQuery('dashboard.start.get', {})
  return <QueryResult query={query}>{(result) => <Builder context={toContext(result)} />}</QueryResult>
}

function Builder({ context }: { context: BuilderContext }) {
  const text = formBuilderText.current()
  const design = useSignal<FormDesign>(initialDesign(language.peek()))
  const picked = useSignal<ColorScheme>('light')
  const { scheme } = design.value
  // A theme with a fixed scheme has only that scheme.
  const colorScheme = isOfBothSchemes(scheme) ? picked.value : scheme
  const options = toFrameOptions(design.value)
  const previewOptions = { ...options, appearance: { ...options.appearance, scheme: colorScheme } }
  return (
    <>
      <p class="builder-intro">{text.intro}</p>
      <div class="builder">
        <div class="builder-side">
          <Layout design={design} />
          <ThemeEditor design={design} colorScheme={colorScheme} onColorScheme={(wanted) => (picked.value = wanted)} />
          <RulesEditor design={design} />
          <Labels design={design} />
        </div>
        <FormPreview merchantId={context.merchantId} origin={context.origin} options={previewOptions} />
      </div>
      <Code context={context} options={options} />
    </>
  )
}

type BuilderContext = Pick<Result<'dashboard.start.get'>, 'merchantId' | 'sdk'> & { readonly origin: string }

/** In the test environment the form is served on 127.0.0.1 at the dashboard's own port. */
function toContext({ merchantId, sdk, formOrigin }: Result<'dashboard.start.get'>): BuilderContext {
  return { merchantId, sdk, origin: formOrigin ?? `http://127.0.0.1:${location.port}` }
}

function Layout({ design }: { design: Signal<FormDesign> }) {
  const text = formBuilderText.current()
  const { scheme, labelPlace, layout, locale, direction, save, hasButton } = design.value
  const change = (changed: Partial<FormDesign>): void => void (design.value = { ...design.value, ...changed })
  return (
    <section class="panel">
      <h2>{text.layout}</h2>
      <div class="builder-choices">
        <RadioGroup
          legend={text.preset}
          name="layout"
          value={layout}
          options={text.layouts}
          onChange={(wanted) => change({ layout: wanted })}
        />
        <RadioGroup
          legend={text.scheme}
          name="scheme"
          value={scheme}
          options={text.schemes}
          onChange={(wanted) => change({ scheme: wanted })}
        />
        <RadioGroup
          legend={text.labelPlace}
          name="label-place"
          value={labelPlace}
          options={text.labelPlaces}
          onChange={(wanted) => change({ labelPlace: wanted })}
        />
        <RadioGroup
          legend={text.locale}
          name="locale"
          value={locale}
          options={languageNames}
          onChange={(wanted) => change({ locale: wanted })}
        />
        <RadioGroup
          legend={text.direction}
          name="direction"
          value={direction}
          options={text.directions}
          onChange={(wanted) => change({ direction: wanted })}
        />
        <RadioGroup
          legend={text.save}
          name="save"
          value={save}
          options={text.saveOptions}
          onChange={(wanted) => change({ save: wanted })}
        />
        <RadioGroup
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

function Labels({ design }: { design: Signal<FormDesign> }) {
  const text = formBuilderText.current()
  const { labels } = design.value
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
            onInput={(value) => (design.value = { ...design.value, labels: { ...labels, [name]: value } })}
          />
        ))}
      </div>
    </details>
  )
}

function Code({ context, options }: { context: BuilderContext; options: ReturnType<typeof toFrameOptions> }) {
  const text = formBuilderText.current()
  const kind = useSignal<SnippetKind>('script')
  return (
    <section class="panel builder-code">
      <h2>{text.code}</h2>
      <RadioGroup
        legend={text.integration}
        name="kind"
        value={kind.value}
        options={text.integrations}
        onChange={(wanted) => (kind.value = wanted)}
      />
      {formSnippets(kind.value, context, options).map(([name, snippet]) => (
        <Snippet key={name} label={name} text={snippet} />
      ))}
      <Snippet label={text.policy} text={formatPolicy(kind.value, context)} />
      <p class="note">{text.originsNote}</p>
    </section>
  )
}
