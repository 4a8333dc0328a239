import { errors } from '@tessera/contract/errors'
import { formReasons } from '@tessera/contract/form-reasons'

import { escapeText, plainPage, plainPolicy } from './plain-page.ts'

/** `/form/reasons`: every reason that a page may hear, each with an anchor of its name. The errors of the SDK link here, so that the link is there wherever the form is. */
export function reasonsPage(): { readonly html: string; readonly policy: string } {
  const wire = Object.values(errors).map(({ reason, hint }) => [reason, hint] as const)
  // One reason may stand under several codes, and be told by the form too: it keeps one anchor.
  const byReason = Map.groupBy<string, readonly [string, string]>([...Object.entries(formReasons), ...wire], ([reason]) => reason)
  const items = [...byReason].map(([reason, told]) => {
    const hints = [...new Set(told.map(([, hint]) => `<dd>${escapeText(hint)}</dd>`))]
    return `<dt id="${reason}"><code>${reason}</code></dt>${hints.join('')}`
  })
  return { html: plainPage('Reasons of the card form', `<dl>${items.join('')}</dl>`), policy: plainPolicy }
}
