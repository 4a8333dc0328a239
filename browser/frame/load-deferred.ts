import { ApiCallError } from './api-call.ts'
import type { FormCore } from './form-core.ts'
import type { DeferredTexts } from './texts.ts'

/** What the deferred script adds to the form: everything that is not needed to type a card. */
export interface DeferredForm {
  readonly textsIn: (locale: FormCore['state']['localized']['locale']) => DeferredTexts
  /** Writes its texts, in the language in use. */
  readonly renderTexts: () => void
  /** Shows the brand of the number that is in the field. */
  readonly renderBrand: () => void
  /** Sends the card and requests a code. */
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
  const { createDeferredForm } = globalThis as DeferredGlobal
  if (createDeferredForm !== undefined) return createDeferredForm
  const script = cloneScript()
  try {
    const isLoaded = await new Promise<boolean>((resolve, reject) => {
      script.onload = () => resolve(true)
      script.onerror = () => resolve(false)
      setTimeout(() => reject(new ApiCallError(0, 'service_error')), loadTimeoutMs)
      document.head.append(script)
    })
    const { createDeferredForm: loaded } = globalThis as DeferredGlobal
    if (isLoaded && loaded !== undefined) return loaded
  } finally {
    script.remove()
  }
  throw new ApiCallError(0, await whyNotLoaded(script.src))
}

/** For a wait that has no signal of its own: the cardholder has stopped waiting, or it took too long. */
export function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new ApiCallError(0, 'stopped')))
  })
}

/**
 * The script element is in a template of the document, with its address and its integrity. Trusted Types forbid a script to write an address; a
 * copy of an element that the parser made has one. Each attempt needs a new copy: a script element loads once.
 */
function cloneScript(): HTMLScriptElement {
  const template = document.querySelector('template') as HTMLTemplateElement
  return document.importNode(template.content, true).firstElementChild as HTMLScriptElement
}

/** A script element does not say why it failed: no connection, or a response that is not the script. */
function whyNotLoaded(address: string): Promise<string> {
  return fetch(address, { credentials: 'omit', cache: 'no-store' }).then(
    () => 'service_error',
    () => 'offline',
  )
}

const loadTimeoutMs = 10_000
