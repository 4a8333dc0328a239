import type { Result } from '@tessera/contract/methods'

import { pathOf } from '../../app/router.ts'
import { fill } from '../../app/long-words.tsx'
import { startText } from './start-text.ts'

type Found = Result<'dashboard.start.get'>['checklist']

/** What a first integration comes to, green as the merchant's own calls arrive. */
export function Checklist({ found }: { found: Found }) {
  const text = startText.now()
  const done = steps.filter((name) => found[name]).length
  return (
    <section class="panel checklist" aria-labelledby="checklist">
      <h2 id="checklist">
        {text.checklist} <small aria-live="polite">{fill(text.doneOf, done, steps.length)}</small>
      </h2>
      <ol>
        {steps.map((name) => (
          <li key={name} class={found[name] ? 'done' : ''}>
            <i aria-hidden="true">{found[name] ? '✓' : ''}</i>
            <div>
              <strong>{text.steps[name].title}</strong> <span class="unseen">{found[name] ? text.done : text.open}</span>
              <small>{text.steps[name].text}</small>
              {name === 'webhook' && !found.webhook && <a href={pathOf('webhooks')}>{text.toWebhooks}</a>}
            </div>
          </li>
        ))}
      </ol>
    </section>
  )
}

const steps = ['created', 'verified', 'paid', 'webhook'] as const satisfies readonly (keyof Found)[]
