import type { Result } from '@tessera/contract/operations'

import { dashboardPath } from '../../app/router.ts'
import { formatMessage } from '../../messages/lookup.ts'
import { startPageText } from '../../messages/page-texts.ts'

type ChecklistState = Result<'dashboard.start.get'>['checklist']

/** The steps of a first integration, each done as soon as the merchant's own call has arrived. */
export function StartChecklist({ checklist }: { checklist: ChecklistState }) {
  const text = startPageText.current()
  const done = steps.filter((name) => checklist[name] !== 'open').length
  return (
    <section class="panel checklist" aria-labelledby="checklist">
      <h2 id="checklist">
        {text.checklist} <small aria-live="polite">{formatMessage(text.doneOf, done, steps.length)}</small>
      </h2>
      <ol>
        {steps.map((name) => {
          const progress = checklist[name]
          return (
            <li key={name} class={progress === 'open' ? '' : 'done'}>
              <i aria-hidden="true">{progress === 'open' ? '' : '✓'}</i>
              <div>
                <strong>{text.steps[name].title}</strong>{' '}
                <span class="visually-hidden">{progress === 'open' ? text.notDone : text.done}</span>
                <small>{progress === 'tried' ? text.tried : text.steps[name].text}</small>
                {name === 'webhook' && progress === 'open' && <a href={dashboardPath('webhooks')}>{text.toWebhooks}</a>}
              </div>
            </li>
          )
        })}
      </ol>
    </section>
  )
}

const steps = ['created', 'verified', 'paid', 'webhook'] as const satisfies readonly (keyof ChecklistState)[]
