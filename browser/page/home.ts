/** The origin that served this very SDK: the form is there too. Null where a merchant's own bundle or server holds the code. */
export function findHome(): string | null {
  return originOfScript() ?? originOfModule(import.meta.url)
}

/** A module of ours tells by its address; built into a bundle, or run by a server, it has the address of something else. */
export function originOfModule(url: string | undefined): string | null {
  const [, origin = null] = /^(https?:\/\/[^/]+)\/sdk\/[^/]+\/(?:tessera|react)\.mjs(?:[?#]|$)/.exec(url ?? '') ?? []
  return origin
}

/** A classic script knows its own address only while it runs. */
function originOfScript(): string | null {
  const own = typeof document === 'undefined' ? null : document.currentScript
  // Where there is no document there is no HTMLScriptElement either: a server renders, a test runs in Node.
  return own !== null && own instanceof HTMLScriptElement && own.src !== '' ? new URL(own.src).origin : null
}
