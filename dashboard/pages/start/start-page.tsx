import '../../app/common.ts'
import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/operations'

import { useMessages } from '../../app/lazy-messages.tsx'
import { dashboardPath } from '../../app/router.ts'
import { CopyButton, Snippet } from '../../components/copy.tsx'
import { QueryResult } from '../../components/query-result.tsx'
import { usePolling } from '../../hooks/use-polling.ts'
import { useQuery } from '../../hooks/use-query.ts'
import { startPageText } from '../../messages/page-texts.ts'
import { StartChecklist } from './checklist.tsx'
import { checkoutScript, curlSnippets, formHtml, installLine, librarySnippets, pagePolicy, type StartContext } from './start-snippets.ts'
import { TestCardsPanel } from './test-cards.tsx'
import { TestPaymentPanel } from './test-payment.tsx'

type StartData = Result<'dashboard.start.get'>

/** From nothing to a first token: what to copy, a test token at the press of a button, and a checklist of the calls that have arrived. */
export function StartPage() {
  const query = useQuery('dashboard.start.get', {})
  usePolling(query.refetchIfIdle, 3000)
  const loading = useMessages(startPageText)
  if (loading !== null) return loading
  return <QueryResult query={query}>{(data) => <StartPanels data={data} onPaid={query.refetchIfIdle} />}</QueryResult>
}

function StartPanels({ data, onPaid }: { data: StartData; onPaid: () => void }) {
  const context = toContext(data)
  const [first] = data.testCards
  return (
    <div class="start">
      <StartChecklist checklist={data.checklist} />
      <div class="columns">
        {first !== undefined && <TestPaymentPanel cards={data.testCards} onMade={onPaid} />}
        <Credentials data={data} context={context} />
      </div>
      {first !== undefined && <TestCardsPanel cards={data.testCards} />}
      <Code context={context} number={first?.number ?? '…'} />
    </div>
  )
}

/** In the test environment the form is served on 127.0.0.1 at the dashboard's own port: another site, so that the session cookie is not sent there. */
function toContext({ merchantId, sdk, formOrigin, demoPassword, example }: StartData): StartContext {
  const origin = formOrigin ?? `http://127.0.0.1:${location.port}`
  return { merchantId, sdk, origin, example, password: demoPassword }
}

function Credentials({ data: { merchantId, demoPassword }, context: { origin } }: { data: StartData; context: StartContext }) {
  const text = startPageText.current()
  return (
    <section class="panel">
      <h2>{text.keys}</h2>
      <dl>
        <dt>{text.address}</dt>
        <dd>
          <CopyButton text={`${origin}/api`} />
        </dd>
        <dt>{text.merchantId}</dt>
        <dd>
          <CopyButton text={merchantId} />
        </dd>
        <dt>{text.password}</dt>
        <dd>
          {demoPassword === null ? (
            <>
              {text.passwordGiven} <a href={dashboardPath('settings')}>{text.rotate}</a>
            </>
          ) : (
            <>
              <CopyButton text={demoPassword} />
              <small>{text.demoPassword}</small>
            </>
          )}
        </dd>
      </dl>
      <p class="note">{text.serverOnly}</p>
    </section>
  )
}

function Code({ context, number }: { context: StartContext; number: string }) {
  const text = startPageText.current()
  const libraries = librarySnippets(context)
  return (
    <>
      <section class="panel">
        <h2>{text.form}</h2>
        <p>{text.formText}</p>
        <div class="stack">
          <Snippet label={text.formSnippet} text={formHtml(context)} />
          <Snippet label="checkout.js" text={checkoutScript(context)} />
          <Snippet label={text.policy} text={pagePolicy(context)} />
        </div>
      </section>
      <section class="panel">
        <h2>{text.curl}</h2>
        <p>{text.curlText}</p>
        <SnippetTabs name="curl" legend={text.curl} snippets={curlSnippets(context, number, text.curlComments)} />
      </section>
      <section class="panel">
        <h2>{text.libraries}</h2>
        <p>{text.librariesText}</p>
        <div class="stack">
          <Snippet label={text.install} text={installLine(context)} />
          <SnippetTabs name="library" legend={text.libraries} snippets={libraries} />
        </div>
      </section>
    </>
  )
}

/** Code in several forms, of which one is chosen. */
function SnippetTabs({ name, legend, snippets }: { name: string; legend: string; snippets: Readonly<Record<string, string>> }) {
  const chosen = useSignal(Object.keys(snippets)[0] ?? '')
  return (
    <div>
      <fieldset class="range">
        <legend class="visually-hidden">{legend}</legend>
        {Object.keys(snippets).map((each) => (
          <label key={each}>
            <input type="radio" name={name} checked={chosen.value === each} onChange={() => (chosen.value = each)} />
            <span>{each}</span>
          </label>
        ))}
      </fieldset>
      <Snippet label={chosen.value} text={snippets[chosen.value] ?? ''} />
    </div>
  )
}
