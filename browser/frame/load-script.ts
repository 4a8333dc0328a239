import { ApiCallError } from './api-call.ts'

/** The scripts that the document loads later, in the order of its template. */
export const laterScripts = { deferred: 0, appearance: 1 } as const

/** Loads a script. Throws an `ApiCallError`: `offline` or `service_error`. What failed can be tried again. */
export async function loadScript(name: keyof typeof laterScripts): Promise<void> {
  const script = cloneScript(laterScripts[name])
  try {
    const isLoaded = await new Promise<boolean>((resolve, reject) => {
      script.onload = () => resolve(true)
      script.onerror = () => resolve(false)
      setTimeout(() => reject(new ApiCallError(0, 'service_error')), loadTimeoutMs)
      document.head.append(script)
    })
    if (isLoaded) return
  } finally {
    script.remove()
  }
  throw new ApiCallError(0, await whyNotLoaded(script.src))
}

/**
 * The script elements are in a template of the document, with address and integrity. Trusted Types forbid a script to write an address; a
 * copy of an element that the parser made has one. Each attempt needs a new copy: a script element loads once.
 */
function cloneScript(index: number): HTMLScriptElement {
  const template = document.querySelector('template') as HTMLTemplateElement
  return document.importNode(template.content, true).children[index] as HTMLScriptElement
}

/** A script element does not say why it failed: no connection, or a response that is not the script. */
function whyNotLoaded(address: string): Promise<string> {
  return fetch(address, { credentials: 'omit', cache: 'no-store' }).then(
    () => 'service_error',
    () => 'offline',
  )
}

const loadTimeoutMs = 10_000
