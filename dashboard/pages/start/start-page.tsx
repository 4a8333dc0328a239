import { useSignal } from '@preact/signals'
import type { Result } from '@tessera/contract/methods'

import { useAsk } from '../../app/ask.ts'
import { useLive } from '../../app/live.ts'
import { pathOf } from '../../app/router.ts'
import { Answer } from '../../parts/answer.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Snippet } from '../../parts/snippet.tsx'
import { Checklist } from './checklist.tsx'
import { checkoutOf, curlOf, formOf, librariesOf, policyOf, type StartPlace } from './snippets.ts'
import { startText } from './start-text.ts'
import { TestCards } from './test-cards.tsx'
import { TestToken } from './test-token.tsx'
import './start.css'

type Found = Result<'dashboard.start.get'>

/** From nothing to a first token: what to copy, what to press, and what has arrived. */
export function StartPage() {
  const asked = useAsk('dashboard.start.get', {})
  useLive(asked.renew, 3000)
  if (startText.use() === null) return startText.show()
  return <Answer asked={asked}>{(found) => <Found found={found} />}</Answer>
}

function Found({ found }: { found: Found }) {
  const place = placeOf(found)
  const [first] = found.testCards
  return (
    <div class="start">
      <Checklist found={found.checklist} />
      <div class="columns">
        <Keys found={found} place={place} />
        {first !== undefined && <TestToken cards={found.testCards} />}
      </div>
      {first !== undefined && <TestCards cards={found.testCards} />}
      <Code place={place} number={first?.number ?? '…'} />
    </div>
  )
}

/** In the test environment the form is on 127.0.0.1 of our own port: another site, so that no cookie of ours goes there. */
function placeOf({ merchantId, sdk, formOrigin, demoPassword }: Found): StartPlace {
  const origin = formOrigin ?? `http://127.0.0.1:${location.port}`
  return { merchantId, sdk, origin, password: demoPassword ?? startText.now().passwordHere }
}

function Keys({ found: { merchantId, demoPassword }, place: { origin } }: { found: Found; place: StartPlace }) {
  const text = startText.now()
  return (
    <section class="panel">
      <h2>{text.keys}</h2>
      <dl>
        <dt>{text.address}</dt>
        <dd>
          <Copy text={`${origin}/api`} />
        </dd>
        <dt>{text.merchantId}</dt>
        <dd>
          <Copy text={merchantId} />
        </dd>
        <dt>{text.password}</dt>
        <dd>
          {demoPassword === null ? (
            <>
              {text.passwordGiven} <a href={pathOf('settings')}>{text.rotate}</a>
            </>
          ) : (
            <>
              <Copy text={demoPassword} />
              <small>{text.demoPassword}</small>
            </>
          )}
        </dd>
      </dl>
      <p class="note">{text.serverOnly}</p>
    </section>
  )
}

function Code({ place, number }: { place: StartPlace; number: string }) {
  const text = startText.now()
  const libraries = librariesOf(place)
  const chosen = useSignal(Object.keys(libraries)[0] ?? '')
  return (
    <>
      <section class="panel">
        <h2>{text.form}</h2>
        <p>{text.formText}</p>
        <div class="stack">
          <Snippet label={text.formSnippet} text={formOf(place)} />
          <Snippet label="checkout.js" text={checkoutOf(place)} />
          <Snippet label={text.policy} text={policyOf(place)} />
        </div>
      </section>
      <section class="panel">
        <h2>{text.curl}</h2>
        <p>{text.curlText}</p>
        <Snippet label="curl" text={curlOf(place, number)} />
      </section>
      <section class="panel">
        <h2>{text.libraries}</h2>
        <p>{text.librariesText}</p>
        <fieldset class="range">
          <legend class="unseen">{text.libraries}</legend>
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
