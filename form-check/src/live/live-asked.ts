/** How pages are to be opened. */
export interface LiveAsked {
  readonly target: string
  /** The service's origin; null takes it from the page. */
  readonly formOrigin: string | null
  /** A browser's path; null looks for one. */
  readonly browserPath: string | null
  /** `name=value; …` for a page that is behind a session; null sends none. Never told. */
  readonly cookies: string | null
  /** How long a page may add things after it is loaded. */
  readonly waitMs: number
  /** For one page, all in. */
  readonly pageMs: number
  /** Whether cards that were typed are sent too. */
  readonly submits: boolean
  readonly signal: AbortSignal
  /** Called with a line for whoever waits. */
  readonly progress: (line: string) => void
}
