import { cardNumberDetector } from '@tessera/contract/card-number-detector'

/** What is stored of the reply of an endpoint, for its developers. Both are empty where nothing is stored. */
export interface ReplyExcerpt {
  /** A line for each header. */
  readonly headers: string
  readonly body: string
}

export interface EndpointReply {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The beginning of the body. */
  readonly start: Uint8Array
  /** Null when it was longer than its beginning, or incomplete. */
  readonly body: Uint8Array | null
  /** Whether the reply came from the public internet. */
  readonly isPublic: boolean
}

/**
 * The beginning of a reply, with every card number replaced. Nothing of a reply from a private address: an endpoint that somebody points at a machine of the
 * provider must not show what that machine says. Cookies and challenges are credentials, and are left out.
 */
export function toReplyExcerpt({ headers, start, body, isPublic }: EndpointReply): ReplyExcerpt {
  if (!isPublic) return noExcerpt
  const lines = Object.entries(headers)
    .filter(([name, value]) => value !== undefined && !credentials.has(name))
    .map(([name, value]) => `${name}: ${String(value)}`)
  const text = Buffer.from(start).toString('utf8')
  return { headers: toStoredText(lines.join('\n')), body: toStoredText(body === null ? text.replace(numberAtTheEnd, '') : text) }
}

export const noExcerpt: ReplyExcerpt = Object.freeze({ headers: '', body: '' })

/** PostgreSQL stores no NUL. A card number that the cut would hide from the detector is found before it. */
function toStoredText(text: string): string {
  let masked = ''
  let end = 0
  for (const { from, to } of cardNumberDetector.rangesIn(text)) {
    masked += `${text.slice(end, from)}[card number]`
    end = to
  }
  return `${masked}${text.slice(end)}`.replaceAll('\0', '\ufffd').slice(0, excerptLengthMax)
}

/** What may be the first digits of a card number, which the detector knows only as a whole; its last letter may be cut too. */
const numberAtTheEnd = /[\p{Nd}\s.\-\ufffd]+$/u
const credentials: ReadonlySet<string> = new Set(['set-cookie', 'www-authenticate', 'proxy-authenticate', 'authentication-info'])
const excerptLengthMax = 2048
