import type { FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

import type { Language } from '@tessera/contract/profile'

import type { FormAssets } from './assets.ts'
import { hashDisclosure, type Disclosure } from './disclosure.ts'
import { makeFormDocument, type FrameFacts, type FrameWords } from './document.ts'
import { hostedHeaders, pageHeaders } from './headers.ts'
import { makeHostedPage } from './hosted-page.ts'
import { makeIsFormHost, readOrigin } from './host.ts'
import type { LegalPages } from './legal.ts'
import { reasonsPage } from './reasons-page.ts'
import { refusalPage, type FormRefusal } from './refusal.ts'
import { servePreview } from './preview.ts'
import { serveSdk } from './sdk.ts'

/** A merchant as the form has to know it. */
export interface FormMerchant {
  readonly id: string
  readonly name: string
  readonly blocked: boolean
  /** Where its pages stand. */
  readonly origins: readonly string[]
}

export interface FormParts {
  readonly assets: FormAssets
  readonly findMerchant: (id: string) => Promise<FormMerchant | null>
  /** Names a document for pages of this origin of this merchant. */
  readonly issueForm: (merchantId: string, origin: string) => Promise<string>
  /** Whether pages of any origin may hold the form, or the merchants' own alone. */
  readonly isAnyOriginWelcome: boolean
  /** Whether the form tells its page which of a theme's colours are too near (docs/decisions/0023-theme.md). */
  readonly isThemeMeasured: boolean
  readonly environment: 'test' | 'production'
  /** Null: every name of 127.0.0.1. */
  readonly formOrigin: string | null
  /** Null: `localhost`, whatever the port. Its pages alone may hold the form builder's preview. */
  readonly dashboardOrigin: string | null
  readonly providerName: string
  /** Null: the pages below stand for it. */
  readonly termsUrl: string | null
  readonly privacyUrl: string | null
  readonly disclosure: Disclosure
  /** Terms and privacy pages of our own; null where the provider has its own. */
  readonly legal: LegalPages | null
}

/** The form's own origin: `/form/v1`, the files of the SDK, and legal pages where the provider has none. On any other host none of it is there. */
export function makeForm(parts: FormParts): FastifyPluginCallback {
  const isFormHost = makeIsFormHost(parts.formOrigin)
  const { script, guard, style } = parts.assets
  const document = makeFormDocument({ scripts: parts.isThemeMeasured ? [guard, script] : [script], style, connect: "'self'" })
  const hosted = makeHostedPage(parts.assets.hosted)
  const { version, texts: disclosed } = hashDisclosure(parts.disclosure)
  const wordsIn = (locale: Language): FrameWords => ({
    locale,
    texts: parts.assets.texts[locale],
    disclosure: { version, ...disclosed[locale] },
  })
  return (app, _options, done) => {
    app.addHook('onRequest', (request, reply, next) => {
      if (isFormHost(request.headers.host)) next()
      else reply.callNotFound()
    })
    const factsOf = (merchant: FormMerchant, locale: Language): Omit<FrameFacts, 'origin' | 'form'> => ({
      ...{ merchant: merchant.id, merchantName: merchant.name, environment: parts.environment },
      ...{ providerName: parts.providerName, words: wordsIn(locale) },
      termsUrl: parts.termsUrl ?? '/form/terms',
      privacyUrl: parts.privacyUrl ?? '/form/privacy',
    })
    app.get('/form/v1', async (request, reply) => {
      const asked = await readAsk(parts, isFormHost, request.query)
      if (typeof asked === 'string') return refuse(request, reply, asked)
      const { merchant, origin } = asked
      const page = document.render({
        ...factsOf(merchant, readLanguage(request.query)),
        ...{ origin, form: await parts.issueForm(merchant.id, origin) },
      })
      return send(request, reply.headers({ ...pageHeaders, 'content-security-policy': document.policy(origin) }), page)
    })
    app.get('/form/v1/page', async (request, reply) => {
      const merchant = await readHostedAsk(parts, request.query)
      if (typeof merchant === 'string') return refuse(request, reply, merchant)
      const page = hosted.render({ merchant: merchant.id, merchantName: merchant.name, locale: languageFor(request.query) })
      return send(request, reply.headers({ ...hostedHeaders, 'content-security-policy': hosted.policy }), page)
    })
    // Asked by the frame when its page changes the language: the document carries one.
    app.get('/form/v1/words', (request, reply) =>
      reply.headers({ ...pageHeaders, 'content-type': 'application/json; charset=utf-8' }).send(wordsIn(readLanguage(request.query))),
    )
    const reasons = reasonsPage()
    app.get('/form/reasons', (request, reply) =>
      send(request, reply.headers({ ...pageHeaders, 'content-security-policy': reasons.policy }), reasons.html),
    )
    for (const [path, read] of parts.legal?.pages ?? []) {
      app.get(path, (request, reply) => {
        const { html, policy } = read(languageOf(request.query))
        return send(request, reply.headers({ ...pageHeaders, 'content-security-policy': policy }), html)
      })
    }
    servePreview(app, parts, async (query) => {
      const id = readMerchantId(query)
      const merchant = id === null ? null : await parts.findMerchant(id)
      return merchant === null ? null : factsOf(merchant, readLanguage(query))
    })
    serveSdk(app, parts.assets)
    done()
  }
}

type IsHost = ReturnType<typeof makeIsFormHost>

interface Ask {
  readonly merchant: FormMerchant
  readonly origin: string
}

async function readAsk(parts: FormParts, isFormHost: IsHost, query: unknown): Promise<Ask | FormRefusal> {
  const { origin: given } = query as Readonly<Record<string, unknown>>
  const id = readMerchantId(query)
  if (id === null) return 'merchantMissing'
  const origin = readOrigin(given)
  if (origin === null) return 'originMissing'
  const merchant = await parts.findMerchant(id)
  if (merchant === null) return 'merchantUnknown'
  // The hosted page stands on the form's own origin, for every merchant.
  const isOwn = isFormHost(new URL(origin).host)
  if (!parts.isAnyOriginWelcome && !isOwn && !merchant.origins.includes(origin)) return 'originNotRegistered'
  return merchant.blocked ? 'merchantBlocked' : { merchant, origin }
}

async function readHostedAsk({ findMerchant }: FormParts, query: unknown): Promise<FormMerchant | FormRefusal> {
  const id = readMerchantId(query)
  if (id === null) return 'merchantMissing'
  const merchant = await findMerchant(id)
  if (merchant === null) return 'merchantUnknown'
  return merchant.blocked ? 'merchantBlocked' : merchant
}

function readMerchantId(query: unknown): string | null {
  const { merchant: id } = query as Readonly<Record<string, unknown>>
  return typeof id === 'string' && /^[0-9a-f]{24}$/.test(id) ? id : null
}

function refuse(request: FastifyRequest, reply: FastifyReply, refusal: FormRefusal): Promise<FastifyReply> {
  const { status, html, policy } = refusalPage(refusal)
  return send(request, reply.code(status).headers({ ...pageHeaders, 'content-security-policy': policy }), html)
}

async function send(request: FastifyRequest, reply: FastifyReply, html: string): Promise<FastifyReply> {
  reply.header('vary', 'Accept-Encoding')
  const taken = request.headers['accept-encoding'] ?? ''
  // Every browser takes Brotli over HTTPS; a twentieth less than gzip, and Russian needs it.
  if (/\bbr\b/.test(taken)) return reply.header('content-encoding', 'br').send(await squeeze(html, brotliOptions))
  if (/\bgzip\b/.test(taken)) return reply.header('content-encoding', 'gzip').send(await zip(html, zipOptions))
  return reply.send(html)
}

/** What the link asks for; null leaves it to the browser: the merchant may not know its payer's language. */
function languageFor(query: unknown): Language | null {
  const { locale } = query as Readonly<Record<string, unknown>>
  return languages.find((language) => language === locale) ?? null
}

/** The specification's first language where none of ours is asked for. */
function readLanguage(query: unknown): Language {
  return languageFor(query) ?? 'uz'
}

function languageOf(query: unknown): string {
  const { locale } = query as Readonly<Record<string, unknown>>
  return typeof locale === 'string' ? locale : 'en'
}

const languages: readonly Language[] = ['uz', 'ru', 'en']
const zip: (text: string, options: typeof zipOptions) => Promise<Buffer> = promisify(gzip)
/** Blocks so short that the sentences have codes of their own beside the script: half a per cent less than by zlib's own measure. */
const zipOptions = { level: 9, memLevel: 6 } as const
const squeeze: (text: string, options: typeof brotliOptions) => Promise<Buffer> = promisify(brotliCompress)
/** About a millisecond; the qualities from 9 on take twenty and more. */
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 6, [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT } }
