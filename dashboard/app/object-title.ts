import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

import { titleOfCustomer } from '../pages/customers/customer-title.ts'
import { messages } from './language.ts'

/** What a page shows one of. */
export interface ObjectTitle {
  /** The heading: `Receipt 6b02a1f3… · 54 174 soʻm`. Null: the page keeps its own. */
  readonly heading: string | null
  /** The title of the document, which the browser writes into its history: without what may not stand there. */
  readonly title: string
}

/** Null while a page shows a list or itself. */
export const objectTitle = signal<ObjectTitle | null>(null)

/** Names the object that the page shows, in its heading and in the title of the document. An empty name: the page keeps its own. */
export function useObjectTitle(heading: string, title = heading): void {
  useEffect(() => {
    objectTitle.value = heading === '' ? null : { heading, title }
    return () => void (objectTitle.value = null)
  }, [heading, title])
}

/** A card or a receipt that a list is limited to. */
export interface ListSubject {
  readonly kind: 'cards' | 'receipts'
  readonly id: string
}

/** `Receipt 6b02a1f3…` */
export function subjectName({ kind, id }: ListSubject): string {
  return `${messages.value.objects[kind]} ${shortId(id)}`
}

/** Says of which object a list is: `Requests · Receipt 6b02a1f3…`, or of which customer, who is in the title of the document as on the customer's page. */
export function useListTitle(list: string, subject: ListSubject | null, customer = ''): void {
  const of = subject === null ? customer : subjectName(subject)
  const titleOf = subject === null ? titleOfCustomer(customer) : of
  useObjectTitle(of === '' ? '' : `${list} · ${of}`, titleOf === '' ? list : `${list} · ${titleOf}`)
}

/** Names the part of a page that is shown, in the title of the document. */
export function usePartTitle(title: string): void {
  useEffect(() => {
    objectTitle.value = title === '' ? null : { heading: null, title }
    return () => void (objectTitle.value = null)
  }, [title])
}

/** The first digits of an id, which `dashboard.search.find` finds it by. */
export function shortId(id: string): string {
  return `${id.slice(0, 8)}…`
}
