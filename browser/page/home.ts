/** The origin that served this very SDK: the form is there too. Null where a merchant's own bundle or server holds the code. */
export function findHome(): string | null {
  return originOfSdk(import.meta.url) ?? originOfSdk(addressOfScript())
}

/** The SDK tells by the address that the service gives it; built into a bundle, or run by a server, it has the address of something else. */
export function originOfSdk(address: string | undefined): string | null {
  const [, origin = null] = /^(https?:\/\/[^/]+)\/sdk\/[^/]+\/(?:tessera\.m?js|react\.mjs)(?:[?#]|$)/.exec(address ?? '') ?? []
  return origin
}

/** A classic script knows its own address only while it runs; where there is no document, a server renders. */
function addressOfScript(): string | undefined {
  return typeof document === 'undefined' ? undefined : (document.currentScript as HTMLScriptElement | null)?.src
}
