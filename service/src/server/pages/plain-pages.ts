import { errors } from '@tessera/contract/errors'
import { formReasons } from '@tessera/contract/form-reasons'

import { escapeText, framedTextPolicy, plainPage, plainPolicy } from '../../plain-page.ts'

/** Why the form is refused and what to do, for the developer of the page. */
const refusals = {
  merchantMissing: {
    status: 400,
    title: 'No merchant',
    detail: 'The URL needs ?merchant=<24 hex digits>&origin=<origin of your page>. The SDK builds it: new Tessera.CardForm({ merchant }).',
  },
  originMissing: {
    status: 400,
    title: 'No origin',
    detail: 'The URL needs origin=https://shop.example, the value of location.origin: scheme, host and port, without a path.',
  },
  merchantUnknown: {
    status: 404,
    title: 'Unknown merchant',
    detail: 'No merchant has this id in this environment. Test and production have different ids.',
  },
  originNotRegistered: {
    status: 403,
    title: 'Origin not registered',
    detail:
      'The merchant has not registered the origin of this page: add it with tessera merchants set <merchant> --origins, or ask the provider to.',
  },
  merchantBlocked: { status: 403, title: 'Merchant blocked', detail: 'The provider has blocked this merchant: ask the provider.' },
} as const satisfies Record<string, { status: number; title: string; detail: string }>

export type FormRefusal = keyof typeof refusals

/** A page without script. Any page may frame it, since it has nothing to click. */
export function refusalPage(refusal: FormRefusal): { status: number; html: string; policy: string } {
  const { status, title, detail } = refusals[refusal]
  return { status, policy: framedTextPolicy, html: plainPage(title, `<p>${escapeText(detail)}</p>`) }
}

/** `/form/reasons`: every reason that a page may get, each with an anchor. Errors of the SDK link to it. */
export function reasonsPage(): { readonly html: string; readonly policy: string } {
  const wire = Object.values(errors).map(({ reason, hint }) => [reason, hint] as const)
  // One anchor for a reason that belongs to several codes.
  const byReason = Map.groupBy<string, readonly [string, string]>([...Object.entries(formReasons), ...wire], ([reason]) => reason)
  const items = [...byReason].map(([reason, sources]) => {
    const hints = [...new Set(sources.map(([, hint]) => `<dd>${escapeText(hint)}</dd>`))]
    return `<dt id="${reason}"><code>${reason}</code></dt>${hints.join('')}`
  })
  return { html: plainPage('Reasons of the card form', `<dl>${items.join('')}</dl>`), policy: plainPolicy }
}
