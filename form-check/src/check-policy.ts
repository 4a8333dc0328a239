import type { PageContext } from './check-elements.ts'
import { isFormEmbed } from './element-kinds.ts'
import { makeFinding, noLocation, type FormCheckFinding } from './finding.ts'
import { isCardInput, type PageElement } from './page-elements.ts'

/** Checks the Content-Security-Policy rules. `headers` come from the response; policies in meta elements are checked with them. */
export function checkPolicy(elements: readonly PageElement[], headers: readonly string[], context: PageContext): FormCheckFinding[] {
  const embeds = elements.filter(isFormEmbed)
  if (embeds.length === 0 && !elements.some(isCardInput)) return []
  const metas = elements.filter(
    ({ tag, attributes }) => tag === 'meta' && /^content-security-policy$/i.test(attributes['http-equiv'] ?? ''),
  )
  const policies = [...headers, ...metas.map(({ attributes }) => attributes['content'] ?? '')].flatMap(parsePolicies)
  const location = metas[0]?.location ?? { ...noLocation, line: context.half === 'source' ? 1 : null }
  if (policies.length === 0) return [makeFinding('csp-missing', context, location, '')]
  const origins = [...new Set(embeds.map((embed) => originOf(embed, context)).filter((origin) => origin !== null))]
  const blocked = origins.flatMap((origin) =>
    policies
      .map((policy) => findBlockingDirective(policy, origin, context.origin))
      .filter((directive) => directive !== null)
      .map((directive) => `${directive} lacks ${origin}`),
  )
  // All policies apply at once, so one strict policy is enough.
  const weaknesses = policies.map(findWeakness)
  const isWeak = weaknesses.every((weakness) => weakness !== null)
  return [
    ...[...new Set(blocked)].map((excerpt) => makeFinding('csp-blocks-form', context, location, excerpt)),
    ...(isWeak ? [makeFinding('csp-weak', context, location, weaknesses[0] ?? '')] : []),
  ]
}

/** In a file the origin is known only when the address is absolute. */
function originOf({ attributes }: PageElement, { origin }: PageContext): string | null {
  const url = URL.parse(attributes['src'] ?? '', origin ?? undefined)
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : null
}

/** One Content-Security-Policy (W3C CSP 3): sources by directive. When a directive is repeated, the first one counts. */
type Policy = ReadonlyMap<string, readonly string[]>

/** Parses a header or meta value. One header may contain several policies, separated by commas. */
function parsePolicies(text: string): Policy[] {
  return text
    .split(',')
    .map(parsePolicy)
    .filter(({ size }) => size > 0)
}

function parsePolicy(text: string): Policy {
  const policy = new Map<string, readonly string[]>()
  for (const directive of text.split(';')) {
    const [name, ...sources] = directive.trim().split(/\s+/)
    if (name !== undefined && name !== '' && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), sources)
  }
  return policy
}

/** The directive that would block the form's frame or script; null when both may load. */
function findBlockingDirective(policy: Policy, formOrigin: string, pageOrigin: string | null): string | null {
  const frame = findDirective(policy, ['frame-src', 'child-src', 'default-src'])
  if (frame !== null && !allowsOrigin(frame.sources, formOrigin, pageOrigin)) return frame.name
  const script = findDirective(policy, scriptDirectives)
  if (script === null || script.sources.some(isStrictSource)) return null
  return allowsOrigin(script.sources, formOrigin, pageOrigin) ? null : script.name
}

/** Why the policy hardly limits which scripts run; null when it does limit them. */
function findWeakness(policy: Policy): string | null {
  const script = findDirective(policy, scriptDirectives)
  if (script === null) return 'no script-src and no default-src'
  const hasStrictSource = script.sources.some(isStrictSource)
  const weakSource = script.sources.find((source) => {
    const value = source.toLowerCase()
    return value === "'unsafe-eval'" || (!hasStrictSource && ["'unsafe-inline'", '*', 'https:', 'http:', 'data:'].includes(value))
  })
  return weakSource === undefined ? null : `${script.name} ${weakSource}`
}

/** A nonce, a hash or strict-dynamic allows scripts by something other than their address. */
function isStrictSource(source: string): boolean {
  return /^'(nonce|sha\d{3})-|^'strict-dynamic'/i.test(source)
}

function findDirective(policy: Policy, names: readonly string[]): { name: string; sources: readonly string[] } | null {
  for (const name of names) {
    const sources = policy.get(name)
    if (sources !== undefined) return { name, sources }
  }
  return null
}

function allowsOrigin(sources: readonly string[], origin: string, pageOrigin: string | null): boolean {
  const { protocol, hostname, port } = new URL(origin)
  return sources.some((source) => {
    const value = source.toLowerCase()
    if (value === '*') return /^https?:$/.test(protocol)
    if (value === "'self'") return origin === pageOrigin
    if (/^[a-z][a-z0-9+.-]*:$/.test(value)) return value === protocol || (value === 'http:' && protocol === 'https:')
    const [, scheme, host = '', sourcePort] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/:]+)(?::(\d+|\*))?/.exec(value) ?? []
    if (scheme !== undefined && `${scheme}:` !== protocol && !(scheme === 'http' && protocol === 'https:')) return false
    const isHostAllowed = host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : host === '*' || host === hostname
    return isHostAllowed && (sourcePort === '*' || (sourcePort ?? '') === port)
  })
}

const scriptDirectives = ['script-src-elem', 'script-src', 'default-src'] as const
