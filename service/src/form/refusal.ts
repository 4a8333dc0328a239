import { escapeText, plainPage, plainPolicy } from './plain-page.ts'

/** Why there is no form here. Whoever reads it builds the page: each says what to do. */
const refusals = {
  merchantMissing: {
    status: 400,
    title: 'No merchant',
    detail:
      'The address wants ?merchant=<24 hex digits>&origin=<origin of your page>. The SDK makes it: new Tessera.CardForm({ merchant }).',
  },
  originMissing: {
    status: 400,
    title: 'No origin',
    detail: 'The address wants origin=https://shop.example, as location.origin tells it: scheme, host and port, and nothing behind.',
  },
  merchantUnknown: {
    status: 404,
    title: 'Unknown merchant',
    detail: 'No merchant has this id here. Test and production have ids of their own.',
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

/** A page without any script, which may stand in any frame: it has nothing to click. */
export function refusalPage(refusal: FormRefusal): { status: number; html: string; policy: string } {
  const { status, title, detail } = refusals[refusal]
  return { status, policy: plainPolicy, html: plainPage(title, `<p>${escapeText(detail)}</p>`) }
}
