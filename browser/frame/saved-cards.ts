import type { ApiCall } from './api-call.ts'

/** A saved card that the session of the page offers to choose from: its id, which the merchant's server gave, and its masked number. */
export interface SavedCardOffer {
  readonly id: string
  readonly number: string
  /** Can be removed, not picked. */
  readonly expired: boolean
}

/** The saved cards while they are shown in place of the fields. */
export interface SavedCardList {
  /** Id of the card that the button picks; null: none can be picked. */
  readonly chosen: string | null
  readonly focus: () => void
  /** Shows the fields for another card. */
  readonly close: () => void
  /** Measures again how much room the fields need, so that the form keeps its height when they are shown. */
  readonly reserve: () => void
}

/** Requests the saved cards of a session. Null without a response. */
export async function fetchSavedCards(call: ApiCall, session: string): Promise<readonly SavedCardOffer[] | null> {
  const details = await call('form.sessions.show', { session }, AbortSignal.timeout(requestTimeoutMs)).catch(() => null)
  if (details === null) return null
  const { state, cards = [] } = details as { readonly state?: string; readonly cards?: readonly SavedCardOffer[] }
  return state === 'open' ? cards : []
}

const requestTimeoutMs = 10_000
