/** What a reply is, for its security headers. `frame`: a page that other pages embed. `public`: a file or a list that any page may load. */
export type ReplyKind = 'page' | 'frame' | 'data' | 'file' | 'public'

export interface GradedReply {
  readonly kind: ReplyKind
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Whether it came over https, or through a proxy that speaks https. */
  readonly isHttps: boolean
}

/**
 * Grades the security headers of a reply by what OWASP's Secure Headers Project and the Mozilla HTTP Observatory ask of its kind. Returns the names of the
 * rules that it breaks; an empty list is the best grade.
 */
export function gradeHeaders(reply: GradedReply): string[] {
  return Object.entries(headerRules)
    .filter(([, { kinds, holds }]) => kinds.includes(reply.kind) && !holds(reply))
    .map(([name]) => name)
}

interface HeaderRule {
  readonly kinds: readonly ReplyKind[]
  readonly holds: (reply: GradedReply) => boolean
}

const everything: readonly ReplyKind[] = ['page', 'frame', 'data', 'file', 'public']
const documents: readonly ReplyKind[] = ['page', 'frame']
const notPublic: readonly ReplyKind[] = ['page', 'frame', 'data']

export const headerRules: Readonly<Record<string, HeaderRule>> = {
  'https only': {
    kinds: everything,
    holds: ({ isHttps, headers }) =>
      !isHttps || Number(/^max-age=(\d+)/.exec(headers['strict-transport-security'] ?? '')?.[1]) >= 31_536_000,
  },
  'content type': { kinds: everything, holds: ({ headers }) => headers['x-content-type-options'] === 'nosniff' },
  'no software named': {
    kinds: everything,
    holds: ({ headers }) => ['server', 'x-powered-by', 'via'].every((name) => headers[name] === undefined),
  },
  'cross-origin resources': {
    kinds: everything,
    holds: ({ kind, headers }) => {
      const policy = headers['cross-origin-resource-policy']
      return policy === 'same-origin' || (policy === 'cross-origin' && kind !== 'data')
    },
  },
  'not cached': { kinds: notPublic, holds: ({ headers }) => headers['cache-control'] === 'no-store' },
  'caching stated': {
    kinds: ['file', 'public'],
    holds: ({ headers }) => /^(no-store|public, max-age=\d+(, immutable)?)$/.test(headers['cache-control'] ?? ''),
  },
  'no referrer': { kinds: notPublic, holds: ({ headers }) => headers['referrer-policy'] === 'no-referrer' },
  'nothing allowed by default': { kinds: notPublic, holds: (reply) => directive(reply, 'default-src') === "'none'" },
  'framing stated': {
    kinds: notPublic,
    holds: (reply) => {
      const ancestors = directive(reply, 'frame-ancestors')
      if (reply.kind !== 'frame') return ancestors === "'none'"
      // Any page may frame what has nothing to click and runs nothing.
      return ancestors === '*' ? directive(reply, 'script-src') === undefined : ancestors !== undefined && !ancestors.includes('*')
    },
  },
  'no inline code': {
    kinds: documents,
    holds: (reply) => ['script-src', 'style-src'].every((name) => !/'unsafe-|\bdata:|\*/.test(directive(reply, name) ?? '')),
  },
  'no base, no form target': {
    kinds: documents,
    holds: (reply) => directive(reply, 'base-uri') === "'none'" && directive(reply, 'form-action') === "'none'",
  },
  'browser features denied': {
    kinds: documents,
    holds: ({ headers }) =>
      ['camera', 'microphone', 'geolocation', 'payment', 'usb'].every(
        (name) => headers['permissions-policy']?.includes(`${name}=()`) === true,
      ),
  },
  'own window group': { kinds: ['page'], holds: ({ headers }) => headers['cross-origin-opener-policy'] === 'same-origin' },
  'cookies are bound': {
    kinds: everything,
    holds: ({ headers, isHttps }) => {
      const cookie = headers['set-cookie']
      if (cookie === undefined) return true
      return /; HttpOnly/.test(cookie) && /; SameSite=(Strict|Lax)/.test(cookie) && (!isHttps || /^__Host-.*; Secure/.test(cookie))
    },
  },
}

/** The value of a directive of the Content-Security-Policy (W3C CSP 3); undefined without it. */
function directive({ headers }: GradedReply, name: string): string | undefined {
  const directives = (headers['content-security-policy'] ?? '').split(';').map((text) => text.trim())
  return directives.find((text) => text.startsWith(`${name} `))?.slice(name.length + 1)
}
