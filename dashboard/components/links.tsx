import type { ComponentChildren } from 'preact'

import { messages } from '../app/language.ts'
import { type ListSubject, subjectName } from '../app/object-title.ts'
import { hiddenMark } from '../app/page-route.ts'
import { dashboardPath, navigate } from '../app/router.ts'
import { ShortText } from './values.tsx'

interface HiddenLinkProps {
  readonly path: string
  readonly hidden: { readonly customer: string }
  readonly children: ComponentChildren
}

/** A link that hands on a customer, who may not stand in an address. In a new tab it opens the page that finds one, and says why. */
export function HiddenLink({ path, hidden, children }: HiddenLinkProps) {
  return (
    <a
      href={dashboardPath(`customers?${hiddenMark}`)}
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

/** What else there is of a card or a receipt, apart from its own page. */
export function RelatedLinks({ kind, id }: ListSubject) {
  const { codes, requests, deliveries, audit } = messages.value.relatedLinks
  return (
    <>
      {kind === 'cards' && <a href={dashboardPath(`verification?card=${id}`)}>{codes}</a>}
      <a href={dashboardPath(`requests?${kind === 'cards' ? 'card' : 'receipt'}=${id}`)}>{requests}</a>
      <a href={dashboardPath(`webhooks?object=${id}&kind=${kind}`)}>{deliveries}</a>
      <a href={dashboardPath(`audit?subject=${id}&kind=${kind}`)}>{audit}</a>
    </>
  )
}

/** The kind that `RelatedLinks` writes into an address, for the title of a list. Null where the address has none, as one that was typed. */
export function readSubject(query: URLSearchParams, id: string | undefined): ListSubject | null {
  const kind = query.get('kind')
  return id !== undefined && id !== '' && (kind === 'cards' || kind === 'receipts') ? { kind, id } : null
}

/** Above a list of one object, back to it. */
export function SubjectLink({ subject }: { subject: ListSubject | null }) {
  if (subject === null) return null
  return (
    <p class="related">
      <a href={dashboardPath(`${subject.kind}/${subject.id}`)}>{subjectName(subject)}</a>
    </p>
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
