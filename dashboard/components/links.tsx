import type { ComponentChildren } from 'preact'

import { messages } from '../app/language.ts'
import { dashboardPath, navigate } from '../app/router.ts'
import { ShortText } from './values.tsx'

interface HiddenLinkProps {
  readonly path: string
  /** What may not stand in the address. */
  readonly hidden: Readonly<Record<string, string>>
  readonly children: ComponentChildren
}

/** A link that hands on what may not stand in an address. In a new tab it opens the page without it. */
export function HiddenLink({ path, hidden, children }: HiddenLinkProps) {
  return (
    <a
      href={dashboardPath(path)}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return
        event.preventDefault()
        navigate(path, { hidden })
      }}
    >
      {children}
    </a>
  )
}

/** A customer, as a link to the customer's page. A dash for none. */
export function CustomerLink({ customer }: { customer: string | null }) {
  if (customer === null || customer === '') return <>—</>
  return (
    <HiddenLink path="customers" hidden={{ customer }}>
      <ShortText text={customer} />
    </HiddenLink>
  )
}

/** The mask of a card, as a link to it. A dash for none. */
export function CardLink({ cardId, number }: { cardId: string; number: string }) {
  if (cardId === '') return <>—</>
  return (
    <a href={dashboardPath(`cards/${cardId}`)} class="mask">
      {number === '' ? cardId : number}
    </a>
  )
}

export interface RelatedLinksProps {
  readonly kind: 'cards' | 'receipts'
  readonly id: string
}

/** What else there is of a card or a receipt, apart from its own page. */
export function RelatedLinks({ kind, id }: RelatedLinksProps) {
  const { codes, requests, deliveries, audit } = messages.value.relatedLinks
  return (
    <>
      {kind === 'cards' && <a href={dashboardPath(`verification?card=${id}`)}>{codes}</a>}
      <a href={dashboardPath(`requests?${kind === 'cards' ? 'card' : 'receipt'}=${id}`)}>{requests}</a>
      <a href={dashboardPath(`webhooks?object=${id}`)}>{deliveries}</a>
      <a href={dashboardPath(`audit?subject=${id}`)}>{audit}</a>
    </>
  )
}

/** The page of the object of an audit entry, by the beginning of the action's name. Null where it has none. */
export function objectPath(name: string, id: string): string | null {
  if (!/^[0-9a-f]{24}$/.test(id)) return null
  if (/^(?:card|code|consent)\./.test(name)) return `cards/${id}`
  if (name.startsWith('receipt.')) return `receipts/${id}`
  if (name.startsWith('webhook.')) return `webhooks?endpoint=${id}`
  return name.startsWith('merchant.') ? 'settings' : null
}

/** When a step happened, as a link to the call that caused it. A step of a user or of the service was caused by no call of the API. */
export function StepTime({ requestId, actor, children }: { requestId: string; actor: string; children: ComponentChildren }) {
  if (actor !== 'merchant' || !/^[0-9a-f]{24}$/.test(requestId)) return <>{children}</>
  return <a href={dashboardPath(`requests/${requestId}`)}>{children}</a>
}
