import type { PageContext } from '../check-elements.ts'
import { checkPolicy } from '../check-policy.ts'
import { callsCardMethods, isFormEmbed, isSdkAddress } from '../element-kinds.ts'
import { makeFinding, noLocation, type FormCheckFinding } from '../finding.ts'
import type { PageElement } from '../page-elements.ts'
import { containsPassword } from '../redact-secrets.ts'

import type { PageActivity } from './probed-page.ts'

export interface LoadedPage {
  readonly elements: readonly PageElement[]
  /** Headers of the page's own response; undefined when there was none. */
  readonly headers: Readonly<Record<string, string>> | undefined
  readonly context: PageContext
}

/** Checks what happened while the page loaded, before anything is typed: response headers, blocked loads, scripts, requests. */
export function checkPageActivity(activity: PageActivity, page: LoadedPage): FormCheckFinding[] {
  const { context } = page
  return [
    ...checkResponse(page),
    ...checkBlockedLoads(activity, page),
    ...checkScriptBodies(activity, context),
    ...checkTransfers(activity, context),
  ]
}

function checkResponse({ elements, headers, context }: LoadedPage): FormCheckFinding[] {
  const policy = headers?.['content-security-policy']
  const isInsecure = context.origin?.startsWith('http:') === true && !isLocalHost(new URL(context.origin).hostname)
  return [
    ...checkPolicy(elements, policy === undefined ? [] : policy.split('\n'), context),
    ...(isInsecure ? [makeFinding('not-https', context, noLocation, context.origin)] : []),
  ]
}

/** Loads of the service's script or frame that the browser blocked because of a policy. */
function checkBlockedLoads({ blockedLoads }: PageActivity, { elements, context }: LoadedPage): FormCheckFinding[] {
  const embedOrigins = elements.filter(isFormEmbed).map(({ attributes }) => originOf(attributes['src'] ?? '', context.origin))
  return blockedLoads.flatMap(({ directive, address }) => {
    const origin = originOf(address)
    return origin !== undefined && embedOrigins.includes(origin)
      ? [makeFinding('csp-blocks-form', context, noLocation, `${directive} lacks ${origin}`)]
      : []
  })
}

function checkScriptBodies({ scriptBodies }: PageActivity, context: PageContext): FormCheckFinding[] {
  return [...scriptBodies].flatMap(([address, text]) => [
    ...(containsPassword(text) ? [makeFinding('password-in-page', context, noLocation, address)] : []),
    ...(callsCardMethods(text) && !isSdkAddress(address) && !isFormScript(address, context)
      ? [makeFinding('own-call', context, noLocation, address)]
      : []),
  ])
}

/** A script of the service's form, judged by its address as the form's frame is. */
function isFormScript(address: string, { origin: pageOrigin, formOrigin }: PageContext): boolean {
  const url = URL.parse(address)
  if (url === null || !url.pathname.startsWith('/form/v1/')) return false
  return formOrigin === null ? url.origin !== pageOrigin : url.origin === formOrigin
}

function checkTransfers({ transfers }: PageActivity, context: PageContext): FormCheckFinding[] {
  return transfers
    .filter(({ text, to }) => containsPassword(text) || containsPassword(to))
    .map(({ by, to }) => makeFinding('password-in-page', context, noLocation, `${by} to ${to}`))
}

function originOf(address: string, base: string | null = null): string | undefined {
  return URL.parse(address, base ?? undefined)?.origin
}

/** A developer's own machine or network (RFC 1918, RFC 4193, RFC 6761). */
function isLocalHost(host: string): boolean {
  return /^(localhost|.*\.localhost|.*\.local|.*\.test|127\..*|10\..*|192\.168\..*|172\.(1[6-9]|2\d|3[01])\..*|\[::1\]|\[f[cd].*)$/i.test(
    host,
  )
}
