/** The browser and the system of a User-Agent header, by their names; null for what is not known. */
export interface BrowserNames {
  readonly browser: string | null
  readonly system: string | null
}

/** Reads a User-Agent header. Those of Chromium name Chrome and Safari as well, and everything names Mozilla, so the order decides. */
export function readUserAgent(userAgent: string): BrowserNames {
  return { browser: findBrowser(userAgent), system: systems.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? null }
}

function findBrowser(userAgent: string): string | null {
  for (const [name, pattern] of browsers) {
    const [found, major] = pattern.exec(userAgent) ?? []
    if (found !== undefined) return major === undefined ? name : `${name} ${major}`
  }
  return null
}

/** Where an address is. */
export type AddressKind = 'thisMachine' | 'privateNetwork' | 'internet'

export function kindOfAddress(address: string): AddressKind {
  const bare = address.replace(/^::ffff:/i, '')
  if (/^127\.|^::1$/.test(bare)) return 'thisMachine'
  const isPrivate =
    /^10\.|^192\.168\.|^172\.(?:1[6-9]|2[0-9]|3[01])\.|^169\.254\.|^100\.(?:6[4-9]|[7-9][0-9]|1[01][0-9]|12[0-7])\.|^f[cd]|^fe[89ab]/i.test(
      bare,
    )
  return isPrivate ? 'privateNetwork' : 'internet'
}

const browsers: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Yandex Browser', /YaBrowser\/(\d+)/],
  ['Samsung Internet', /SamsungBrowser\/(\d+)/],
  ['Opera', /OPR\/(\d+)/],
  ['Edge', /Edg(?:A|iOS)?\/(\d+)/],
  ['Firefox', /(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/],
  ['Safari', /Version\/(\d+)[^ ]* (?:Mobile\/\w+ )?Safari\//],
]

const systems: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['ChromeOS', /CrOS/],
  ['Windows', /Windows/],
  ['macOS', /Mac OS X|Macintosh/],
  ['Linux', /Linux|X11/],
]
