import type { ComponentChildren } from 'preact'

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

/** The card or receipt of an audit entry or an event, by the beginning of its name. Null for anything else. */
export function objectPath(name: string, id: string): string | null {
  if (!/^[0-9a-f]{24}$/.test(id)) return null
  if (/^(?:card|code|consent)\./.test(name)) return `cards/${id}`
  return name.startsWith('receipt.') ? `receipts/${id}` : null
}

/** When a step happened, as a link to the call that caused it. A step of a user or of the service was caused by no call of the API. */
export function StepTime({ requestId, actor, children }: { requestId: string; actor: string; children: ComponentChildren }) {
  if (actor !== 'merchant' || !/^[0-9a-f]{24}$/.test(requestId)) return <>{children}</>
  return <a href={dashboardPath(`requests/${requestId}`)}>{children}</a>
}
