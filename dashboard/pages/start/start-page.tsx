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
import { checkoutScript, startCurl, formHtml, librarySnippets, pagePolicy, type StartContext } from './start-snippets.ts'
import { TestCardsPanel } from './test-cards.tsx'
import { TestTokenPanel } from './test-token.tsx'

type StartData = Result<'dashboard.start.get'>

/** From nothing to a first token: what to copy, a test token at the press of a button, and a checklist of the calls that have arrived. */
export function StartPage() {
  const query = useQuery('dashboard.start.get', {})
  usePolling(query.refetchIfIdle, 3000)
  const loading = useMessages(startPageText)
  if (loading !== null) return loading
  return <QueryResult query={query}>{(data) => <StartPanels data={data} />}</QueryResult>
}

function StartPanels({ data }: { data: StartData }) {
  const context = toContext(data)
  const [first] = data.testCards
  return (
    <div class="start">
      <StartChecklist checklist={data.checklist} />
      <div class="columns">
        <Credentials data={data} context={context} />
        {first !== undefined && <TestTokenPanel cards={data.testCards} />}
      </div>
      {first !== undefined && <TestCardsPanel cards={data.testCards} />}
      <Code context={context} number={first?.number ?? '…'} />
    </div>
  )
}

/** In the test environment the form is served on 127.0.0.1 at the dashboard's own port: another site, so that the session cookie is not sent there. */
function toContext({ merchantId, sdk, formOrigin, demoPassword }: StartData): StartContext {
  const origin = formOrigin ?? `http://127.0.0.1:${location.port}`
  return { merchantId, sdk, origin, password: demoPassword ?? startPageText.current().passwordHere }
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
  const chosen = useSignal(Object.keys(libraries)[0] ?? '')
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
        <Snippet label="curl" text={startCurl(context, number)} />
      </section>
      <section class="panel">
        <h2>{text.libraries}</h2>
        <p>{text.librariesText}</p>
        <fieldset class="range">
          <legend class="visually-hidden">{text.libraries}</legend>
          {Object.keys(libraries).map((name) => (
            <label key={name}>
              <input type="radio" name="library" checked={chosen.value === name} onChange={() => (chosen.value = name)} />
              <span>{name}</span>
            </label>
          ))}
        </fieldset>
        <Snippet label={chosen.value} text={libraries[chosen.value] ?? ''} />
      </section>
    </>
  )
}
