import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

import type { DashboardBrowser } from '../../domain/request-context.ts'
import { makeDeviceCookie, makeSessionCookie, type HostCookie } from '../auth/session-cookie.ts'
import type { HttpReply } from '../http/request.ts'
import type { PageReply, PageRequest, PageRoute } from '../http/page-routes.ts'
import { problems, problemText } from '../http/problem.ts'
import { dataHeaders } from '../http/security-headers.ts'
import type { RequestHandler } from '../pipeline.ts'

import type { DashboardAssets } from './dashboard-assets.ts'
import { assetHeaders, documentHeaders, renderDashboardDocument } from './dashboard-document.ts'
import { makeDashboardHost, type DashboardHost } from './hosts.ts'

export interface DashboardPageOptions {
  readonly handle: RequestHandler
  readonly assets: DashboardAssets
  /** Null: `localhost` at any port. */
  readonly dashboardOrigin: string | null
  /** Null: every name of 127.0.0.1. */
  readonly formOrigin: string | null
}

/** The routes of the dashboard's host: its document, its files, and its endpoint `POST /dashboard/api`. No other host has them. */
export function dashboardRoutes({ handle, assets, dashboardOrigin, formOrigin }: DashboardPageOptions): readonly PageRoute[] {
  const host = makeDashboardHost(dashboardOrigin)
  const cookies = { session: makeSessionCookie(host.isSecure), device: makeDeviceCookie(host.isSecure) }
  const document = { headers: documentHeaders(formOrigin), body: renderDashboardDocument(assets) }
  const get = (path: string, respond: PageRoute['handle']): PageRoute => ({ method: 'GET', host: host.is, path, handle: respond })
  return [
    { method: 'POST', host: host.is, path: '/dashboard/api', handle: (request) => handleDashboardCall(request, { handle, host, cookies }) },
    get('/dashboard/assets/:name', (request) => findAsset(request, assets)),
    get('/dashboard', () => document),
    get('/dashboard/*', () => document),
  ]
}

function findAsset({ path, headers: { 'accept-encoding': accepted } }: PageRequest, { files }: DashboardAssets): PageReply | null {
  const file = files.get(path.slice(path.lastIndexOf('/') + 1))
  if (file === undefined) return null
  const headers = { ...assetHeaders, 'content-type': file.type }
  if (!/\bgzip\b/.test(accepted ?? '')) return { headers, body: file.bytes }
  return { headers: { ...headers, 'content-encoding': 'gzip' }, body: file.gzipped }
}

interface DashboardEndpoint {
  readonly handle: RequestHandler
  readonly host: DashboardHost
  readonly cookies: { readonly session: HostCookie; readonly device: HostCookie }
}

async function handleDashboardCall(request: PageRequest, { handle, host, cookies }: DashboardEndpoint): Promise<PageReply> {
  const { headers } = request
  if (!isJson(headers['content-type'])) {
    request.body.fill(0)
    return notJson
  }
  const written = new Map<HostCookie, string>()
  const browser: DashboardBrowser = {
    cookie: cookies.session.read(headers.cookie),
    device: cookies.device.read(headers.cookie),
    csrf: singleHeader(headers['x-tessera-csrf']),
    userAgent: headers['user-agent'] ?? '',
    origin: host.originOf(headers.host ?? ''),
    setCookie: (value) => void written.set(cookies.session, cookies.session.write(value)),
    setDevice: (value) => void written.set(cookies.device, cookies.device.write(value)),
    left: request.left,
  }
  const reply = await handle({
    refusal: isFromDashboard(request, host) ? null : 'notFromDashboard',
    segment: null,
    hasQuery: request.hasQuery,
    body: request.body,
    xAuth: null,
    origin: null,
    isFromBrowser: true,
    idempotencyKey: null,
    acceptLanguage: headers['accept-language'],
    address: request.address,
    browser,
  })
  const replyHeaders = {
    ...endpointHeaders,
    ...(reply.retryAfterSeconds === null ? {} : { 'retry-after': String(reply.retryAfterSeconds) }),
    ...(written.size === 0 ? {} : { 'set-cookie': [...written.values()] }),
  }
  // A cookie beside the body is no part of what is compressed.
  if (!shouldCompress(reply, headers['accept-encoding'])) return { status: reply.status, headers: replyHeaders, body: reply.text }
  return { status: reply.status, headers: { ...replyHeaders, 'content-encoding': 'gzip' }, body: await compressGzip(reply.text) }
}

/** Only what has no secret is compressed (docs/decisions/0132-compressed-lists.md), and only what gets smaller by more than a packet's head. */
function shouldCompress({ isCompressible, text }: HttpReply, accepted: string | undefined): boolean {
  return isCompressible === true && text.length >= minCompressedLength && /\bgzip\b/.test(accepted ?? '')
}

const minCompressedLength = 1024
const compressGzip: (text: string) => Promise<Buffer> = promisify(gzip)

/** Whether a page of the dashboard sent the request, as the browser states. A request with X-Auth is not from a page; a page on another port is of another origin. */
function isFromDashboard({ headers }: PageRequest, host: DashboardHost): boolean {
  return (
    headers['sec-fetch-site'] === 'same-origin' && headers.origin === host.originOf(headers.host ?? '') && headers['x-auth'] === undefined
  )
}

/**
 * Forms and simple requests (Fetch standard, CORS-safelisted request headers) can only send `text/plain`, `multipart/form-data` and
 * `application/x-www-form-urlencoded`, or no type, so none of them gets as far as the cookie.
 */
function isJson(contentType: string | undefined): boolean {
  return /^application\/json[ \t]*(?:;|$)/i.test(contentType ?? '')
}

function singleHeader(header: string | string[] | undefined): string | null {
  return typeof header === 'string' ? header : null
}

const notJson: PageReply = {
  status: problems.notJson.status,
  headers: {
    'content-type': 'application/problem+json',
    accept: 'application/json',
    ...dataHeaders,
  },
  body: problemText('notJson'),
}

const endpointHeaders = { ...dataHeaders, 'content-type': 'application/json; charset=utf-8' }
