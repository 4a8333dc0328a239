/** One Content-Security-Policy (W3C CSP 3): its directives, the first of a name counting. */
export type Policy = ReadonlyMap<string, readonly string[]>

/** Reads what one header or meta element says; several policies may stand in one header, parted by commas. */
export function readPolicies(text: string): Policy[] {
  return text
    .split(',')
    .map((one) => {
      const policy = new Map<string, readonly string[]>()
      for (const part of one.split(';')) {
        const [name, ...sources] = part.trim().split(/\s+/)
        if (name !== undefined && name !== '' && !policy.has(name.toLowerCase())) policy.set(name.toLowerCase(), sources)
      }
      return policy
    })
    .filter(({ size }) => size > 0)
}

/** The directive that would stop the form or its script: its name, or null when both may load. */
export function blocksForm(policy: Policy, formOrigin: string, pageOrigin: string | null): string | null {
  const frame = firstOf(policy, ['frame-src', 'child-src', 'default-src'])
  if (frame !== null && !allows(frame.sources, formOrigin, pageOrigin)) return frame.name
  const script = firstOf(policy, scriptDirectives)
  if (script === null || script.sources.some(isStrict)) return null
  return allows(script.sources, formOrigin, pageOrigin) ? null : script.name
}

/** Why the policy hardly narrows which scripts run; null when it does. */
export function weaknessOf(policy: Policy): string | null {
  const script = firstOf(policy, scriptDirectives)
  if (script === null) return 'no script-src and no default-src'
  const hasStrict = script.sources.some(isStrict)
  const weak = script.sources.find((source) => {
    const word = source.toLowerCase()
    return word === "'unsafe-eval'" || (!hasStrict && ["'unsafe-inline'", '*', 'https:', 'http:', 'data:'].includes(word))
  })
  return weak === undefined ? null : `${script.name} ${weak}`
}

/** A nonce, a hash or strict-dynamic lets scripts in by other ways than their address. */
function isStrict(source: string): boolean {
  return /^'(nonce|sha\d{3})-|^'strict-dynamic'/i.test(source)
}

function firstOf(policy: Policy, names: readonly string[]): { name: string; sources: readonly string[] } | null {
  for (const name of names) {
    const sources = policy.get(name)
    if (sources !== undefined) return { name, sources }
  }
  return null
}

function allows(sources: readonly string[], origin: string, pageOrigin: string | null): boolean {
  const { protocol, hostname, port } = new URL(origin)
  return sources.some((source) => {
    const word = source.toLowerCase()
    if (word === '*') return /^https?:$/.test(protocol)
    if (word === "'self'") return origin === pageOrigin
    if (/^[a-z][a-z0-9+.-]*:$/.test(word)) return word === protocol || (word === 'http:' && protocol === 'https:')
    const [, scheme, host = '', asked] = /^(?:([a-z][a-z0-9+.-]*):\/\/)?([^/:]+)(?::(\d+|\*))?/.exec(word) ?? []
    if (scheme !== undefined && `${scheme}:` !== protocol && !(scheme === 'http' && protocol === 'https:')) return false
    const isHost = host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : host === '*' || host === hostname
    return isHost && (asked === '*' || (asked ?? '') === port)
  })
}

const scriptDirectives = ['script-src-elem', 'script-src', 'default-src'] as const
