import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'

import { readLanguage as readAcceptedLanguage } from '@tessera/contract/envelope'
import { readOrigin } from '@tessera/contract/origin'
import type { Language } from '@tessera/contract/profile'
import type { CardRoute } from '@tessera/contract/route'
import type { CodeFormat } from '@tessera/contract/verification-code'

import { hashDisclosure, type Disclosure } from '../../domain/consents/disclosure-text.ts'
import { dataHeaders } from '../http/security-headers.ts'
import type { PageReply, PageRequest, PageRoute } from '../http/page-routes.ts'

import { scriptHashOf, type FormAssets } from './form-assets.ts'
import { makeFormDocument, type FrameConfig, type FrameMessages } from './form-document.ts'
import { deferredHeaders, hostedHeaders, logoHeaders, pageHeaders, textHeaders } from './form-headers.ts'
import { previewRoute } from './form-preview.ts'
import { makeHostedPage } from './hosted-page.ts'
import { makeIsFormHost } from './hosts.ts'
import type { LegalPages } from '../../plain-page.ts'
import { brotliOptions, gzipOptions } from './page-compression.ts'
import { reasonsPage, refusalPage, type FormRefusal } from './plain-pages.ts'
import { sdkReply, sdkRoutes, type FormScript } from './sdk-routes.ts'

/** The data of a merchant that the form shows and checks. */
export interface FormMerchant {
  readonly id: string
  readonly name: string
  readonly blocked: boolean
  /** Registered origins of its pages. */
  readonly origins: readonly string[]
  /** `#rrggbb`, or '' for the page's own color. */
  readonly brandColor: string
  /** SHA-256 of its logo, hex; '' without one. */
  readonly logo: string
}

export interface FormPageOptions {
  readonly assets: FormAssets
  readonly findMerchant: (id: string) => Promise<FormMerchant | null>
  /** The logo of a merchant, checked against the SHA-256 of its settings. */
  readonly findLogo: (id: string) => Promise<{ readonly png: Buffer; readonly sha256: string } | null>
  /** Issues the token of a form document for one merchant and origin. */
  readonly issueForm: (merchantId: string, origin: string) => Promise<string>
  /** Whether pages of any origin may embed the form, or only registered ones. */
  readonly isAnyOriginAllowed: boolean
  readonly environment: 'test' | 'production'
  /** Null: every name of 127.0.0.1. */
  readonly formOrigin: string | null
  /** Null: `localhost` at any port. Only its pages may embed the preview of the form builder. */
  readonly dashboardOrigin: string | null
  readonly providerName: string
  /** Null: the service's own page. */
  readonly providerUrl: string | null
  /** Null: the pages in `legal` are used. */
  readonly termsUrl: string | null
  readonly privacyUrl: string | null
  readonly disclosure: Disclosure
  /** The card number prefixes that the service accepts. */
  readonly cardRoutes: readonly Pick<CardRoute, 'network'>[]
  /** What codes look like by the policy of the service. */
  readonly code: CodeFormat
  /** Terms and privacy pages of the service itself; null where the provider has its own. */
  readonly legal: LegalPages | null
}

/** The routes of the form's origin: `/form/v1`, the files of the SDK, and legal pages where the provider has none. No other host has them. */
export function formRoutes(options: FormPageOptions): readonly PageRoute[] {
  const { assets, providerName, environment } = options
  const providerUrl = options.providerUrl ?? '/'
  const isFormHost = makeIsFormHost(options.formOrigin)
  const { script, deferred, appearance, style } = assets
  const document = makeFormDocument({ scripts: [script], later: [deferred, appearance], style, connect: "'self'" })
  const hosted = makeHostedPage(assets.hosted)
  const reasons = { uz: reasonsPage('uz'), ru: reasonsPage('ru'), en: reasonsPage('en') }
  const { version, texts: disclosed } = hashDisclosure(options.disclosure)
  const accepted = [...new Set(options.cardRoutes.map(({ network }) => network))].filter((network) => network !== 'test')

  return [
    page('/form/v1', showForm),
    page(deferred.path, (request) => sdkReply(request, deferredHeaders, deferred.file)),
    page('/form/v1/page', showHostedPage),
    page('/form/v1/logo/:name', showLogo),
    // The document has one language; the frame requests another when its page changes the language.
    page('/form/v1/messages', ({ query }) => ({ headers: jsonHeaders, body: JSON.stringify(messagesIn(readLanguage(query))) })),
    page('/form/reasons', (request) => compressed(request, { ...reasons[textLanguage(request)], headers: textHeaders })),
    ...[...(options.legal?.pages ?? [])].map(([path, read]) =>
      page(path, (request) => compressed(request, { ...read(textLanguage(request)), headers: textHeaders })),
    ),
    page('/form/v1/preview', previewRoute(options, findFrameConfig)),
    page(appearance.path, (request) => sdkReply(request, deferredHeaders, appearance.file)),
    ...sdkRoutes(assets, listFormScripts(options), isFormHost),
    page('/form/*', (request) => refusalReply(request, 'pageUnknown')),
  ]

  function page(path: string, handle: PageRoute['handle']): PageRoute {
    return { method: 'GET', host: isFormHost, path, handle, handleFailure: (request) => refusalReply(request, 'unavailable') }
  }

  async function showForm(request: PageRequest): Promise<PageReply> {
    const found = await findFramed(options, isFormHost, request.query)
    if (typeof found === 'string') return refusalReply(request, found)
    const { merchant, origin } = found
    const config = { ...toFrameConfig(merchant, readLanguage(request.query)), origin, form: await options.issueForm(merchant.id, origin) }
    return compressed(request, { policy: document.policy(origin, request.headers.host ?? ''), html: document.render(config) })
  }

  async function showHostedPage(request: PageRequest): Promise<PageReply> {
    const merchant = await findOpenMerchant(options, request.query)
    if (typeof merchant === 'string') return refusalReply(request, merchant)
    const { id, name, logo, brandColor } = merchant
    const logoPath = logo === '' ? '' : `/form/v1/logo/${id}-${logo}.png`
    const locale = requestedLanguage(request.query)
    const html = hosted.render({
      merchant: id,
      merchantName: name,
      locale,
      environment,
      providerName,
      providerUrl,
      logo: logoPath,
      brandColor,
    })
    return compressed(request, { policy: hosted.policy, html, headers: hostedHeaders })
  }

  /** `<merchant>-<SHA-256>.png`: another image has another address, so that caches may keep each. */
  async function showLogo({ path }: PageRequest): Promise<PageReply | null> {
    const [, id, sha256] = /\/([0-9a-f]{24})-([0-9a-f]{64})\.png$/.exec(path) ?? []
    const logo = id === undefined ? null : await options.findLogo(id)
    return logo === null || logo.sha256 !== sha256 ? null : { headers: logoHeaders, body: logo.png }
  }

  async function findFrameConfig(query: URLSearchParams) {
    const id = readMerchantId(query)
    const merchant = id === null ? null : await options.findMerchant(id)
    return merchant === null ? null : toFrameConfig(merchant, readLanguage(query))
  }

  function toFrameConfig(merchant: FormMerchant, locale: Language): Omit<FrameConfig, 'origin' | 'form'> {
    return {
      merchant: merchant.id,
      merchantName: merchant.name,
      environment,
      providerName,
      providerUrl,
      accepted,
      messages: messagesIn(locale),
      code: options.code,
      termsUrl: options.termsUrl ?? '/form/terms',
      privacyUrl: options.privacyUrl ?? '/form/privacy',
    }
  }

  function messagesIn(locale: Language): FrameMessages {
    return { locale, texts: assets.texts[locale], disclosure: { version, ...disclosed[locale] } }
  }
}

/** Every script of the form's document, in the order in which they run. */
function listFormScripts({ assets: { script, deferred, appearance } }: FormPageOptions): FormScript[] {
  return [
    { path: null, integrity: scriptHashOf(script), purpose: 'takes the card' },
    {
      path: deferred.path,
      integrity: deferred.integrity,
      purpose: 'shows the brand of the card and the saved cards, takes the SMS code, shows the result',
    },
    { path: appearance.path, integrity: appearance.integrity, purpose: 'reads and applies the appearance that a page gives' },
  ]
}

interface FramedForm {
  readonly merchant: FormMerchant
  /** Of the page that embeds the form. */
  readonly origin: string
}

async function findFramed(
  { findMerchant, isAnyOriginAllowed }: FormPageOptions,
  isFormHost: ReturnType<typeof makeIsFormHost>,
  query: URLSearchParams,
): Promise<FramedForm | FormRefusal> {
  const id = readMerchantId(query)
  if (id === null) return 'merchantMissing'
  const origin = readOrigin(singleParam(query, 'origin'))
  if (origin === null) return 'originMissing'
  const merchant = await findMerchant(id)
  if (merchant === null) return 'merchantUnknown'
  // The hosted page is on the form's own origin, for every merchant.
  const isOwn = isFormHost(new URL(origin).host)
  if (!isAnyOriginAllowed && !isOwn && !merchant.origins.includes(origin)) return 'originNotRegistered'
  return merchant.blocked ? 'merchantBlocked' : { merchant, origin }
}

async function findOpenMerchant({ findMerchant }: FormPageOptions, query: URLSearchParams): Promise<FormMerchant | FormRefusal> {
  const id = readMerchantId(query)
  if (id === null) return 'merchantMissing'
  const merchant = await findMerchant(id)
  if (merchant === null) return 'merchantUnknown'
  return merchant.blocked ? 'merchantBlocked' : merchant
}

function readMerchantId(query: URLSearchParams): string | null {
  const id = singleParam(query, 'merchant')
  return id !== null && /^[0-9a-f]{24}$/.test(id) ? id : null
}

/** The language of the link. Null: the browser decides, since the merchant may not know the payer's language. */
function requestedLanguage(query: URLSearchParams): Language | null {
  const locale = singleParam(query, 'locale')
  return languages.find((language) => language === locale) ?? null
}

/** Uzbek, the first language of the specification, unless a supported one is requested. */
function readLanguage(query: URLSearchParams): Language {
  return requestedLanguage(query) ?? 'uz'
}

/** The value of a parameter that is given exactly once; null otherwise. */
function singleParam(query: URLSearchParams, name: string): string | null {
  const values = query.getAll(name)
  return values.length === 1 ? (values[0] ?? null) : null
}

/** The language of the link, or of the browser. */
function textLanguage({ query, headers }: PageRequest): Language {
  return requestedLanguage(query) ?? readAcceptedLanguage(headers['accept-language'])
}

function refusalReply(request: PageRequest, refusal: FormRefusal): Promise<PageReply> {
  const { status, html, policy } = refusalPage(refusal, textLanguage(request))
  const later = status === 503 ? { 'retry-after': '5' } : {}
  return compressed(request, { status, html, policy, headers: { ...pageHeaders, ...later } })
}

interface HtmlReply {
  readonly status?: number
  readonly html: string
  /** Content-Security-Policy. */
  readonly policy: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A page in the encoding that the browser prefers. */
async function compressed(request: PageRequest, { status = 200, html, policy, headers = pageHeaders }: HtmlReply): Promise<PageReply> {
  const all = { ...headers, 'content-security-policy': policy, vary: 'Accept-Encoding' }
  const accepted = request.headers['accept-encoding'] ?? ''
  // Every browser accepts Brotli over HTTPS; it is 5 % smaller than gzip, which the Russian document needs.
  if (/\bbr\b/.test(accepted)) {
    return { status, headers: { ...all, 'content-encoding': 'br' }, body: await compressBrotli(html, brotliOptions) }
  }
  if (/\bgzip\b/.test(accepted)) {
    return { status, headers: { ...all, 'content-encoding': 'gzip' }, body: await compressGzip(html, gzipOptions) }
  }
  return { status, headers: all, body: html }
}

const languages: readonly Language[] = ['uz', 'ru', 'en']
const jsonHeaders = { ...dataHeaders, 'content-type': 'application/json; charset=utf-8' }
const compressGzip: (text: string, options: typeof gzipOptions) => Promise<Buffer> = promisify(gzip)
const compressBrotli: (text: string, options: typeof brotliOptions) => Promise<Buffer> = promisify(brotliCompress)
