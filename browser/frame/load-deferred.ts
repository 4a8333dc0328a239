import { ApiCallError } from './api-call.ts'
import type { FormCore } from './form-core.ts'
import { loadScript } from './load-script.ts'
import type { SavedCardOffer } from './saved-cards.ts'
import type { DeferredTexts } from './texts.ts'

/** What the deferred script adds to the form: everything that is not needed to type a card. */
export interface DeferredForm {
  readonly textsIn: (locale: FormCore['state']['localized']['locale']) => DeferredTexts
  /** Writes its texts, in the language in use. */
  readonly renderTexts: () => void
  /** Shows the brand of the number that is in the field. */
  readonly renderBrand: () => void
  /** Shows the saved cards of the session in place of the fields, unless something was typed. */
  readonly offerCards: (cards: readonly SavedCardOffer[]) => void
  /** Sends the card and requests a code, or reports the saved card that is chosen. */
  readonly sendCard: (signal: AbortSignal) => Promise<void>
  readonly verify: () => void
  readonly resend: () => void
  /** Forgets the card that was sent. */
  readonly reset: () => void
  readonly showCallError: (error: ApiCallError) => void
}

/** The global that the deferred script sets. */
export interface DeferredGlobal {
  createDeferredForm?: (core: FormCore, back: () => void) => DeferredForm
}

/** Loads the deferred script. Throws an `ApiCallError`: `offline` or `service_error`. What failed can be tried again. */
export async function loadDeferred(): Promise<NonNullable<DeferredGlobal['createDeferredForm']>> {
  const scope = globalThis as DeferredGlobal
  if (scope.createDeferredForm === undefined) await loadScript('deferred')
  if (scope.createDeferredForm === undefined) throw new ApiCallError(0, 'service_error')
  return scope.createDeferredForm
}

/** For a wait that has no signal of its own: the cardholder has stopped waiting, or it took too long. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new ApiCallError(0, 'stopped')))
  })
}
