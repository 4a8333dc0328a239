// Without imports: the errors, the envelope and the pages of a browser need these types, and nothing else of each other.

/**
 * The two spellings of one service: `spec` at `/api/<method>`, `subscribe` at `/api`. A value that replies are rendered with,
 * never a second code path.
 */
export type Profile = 'spec' | 'subscribe'

export type Language = 'en' | 'ru' | 'uz'
