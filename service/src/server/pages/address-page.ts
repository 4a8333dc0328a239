import { readLanguage } from '@tessera/contract/envelope'
import type { Language } from '@tessera/contract/profile'

import { escapeText, textPage } from '../../plain-page.ts'
import type { PageReply, PageRequest, PageRoute } from '../http/page-routes.ts'

import { textHeaders } from './form-headers.ts'
import { makeDashboardHost, makeIsApiHost, makeIsFormHost } from './hosts.ts'

export interface AddressPageOptions {
  /** Null: every name of 127.0.0.1. */
  readonly formOrigin: string | null
  /** Null: `localhost` at any port. */
  readonly dashboardOrigin: string | null
  /** Null: the API is served on every host. */
  readonly apiOrigin: string | null
  /** Who runs the service; what is null is left out. */
  readonly providerName: string | null
  readonly providerAddress: string | null
  readonly providerUrl: string | null
}

/**
 * `/` of the service's addresses, and `/dashboard` where the dashboard is not: a small page that says what is here and leads to the dashboard. Other
 * paths and other hosts stay 404. After the routes of the dashboard, whose `/dashboard` comes first on its own host.
 */
export function addressRoutes({ formOrigin, dashboardOrigin, apiOrigin, ...provider }: AddressPageOptions): readonly PageRoute[] {
  const isFormHost = makeIsFormHost(formOrigin)
  const dashboard = makeDashboardHost(dashboardOrigin)
  const isApiHost = apiOrigin === null ? () => false : makeIsApiHost(apiOrigin, formOrigin)
  const host = (name: string | undefined): boolean => isFormHost(name) || dashboard.is(name) || isLoopback(name) || isApiHost(name ?? null)
  const route = (path: string): PageRoute => ({ method: 'GET', host, path, handle: showAddress })
  return [route('/'), route('/dashboard'), route('/dashboard/')]

  function showAddress({ headers, path }: PageRequest): PageReply {
    const language = readLanguage(headers['accept-language'])
    const { title, dashboardTitle, api, isAt, why, runBy } = texts[language]
    const isDashboard = dashboard.is(headers.host)
    const url = isDashboard ? '/dashboard' : `${dashboardOrigin ?? `http://localhost${portOf(headers.host)}`}/dashboard`
    const paragraphs = [
      ...(path === '/' && !isDashboard ? [escapeText(api)] : []),
      `${escapeText(isAt)} <a href="${escapeText(url)}">${escapeText(url)}</a>`,
      ...(isDashboard ? [] : [escapeText(why)]),
      ...(provider.providerName === null ? [] : [`${escapeText(runBy)} ${formatProvider(provider)}`]),
    ]
    const body = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('')
    const { html, policy } = textPage({ title: path === '/' ? title : dashboardTitle, body, language })
    return { headers: { ...replyHeaders, 'content-security-policy': policy }, body: html }
  }
}

/** Name, as a link where there is one, and address; as HTML. */
function formatProvider({
  providerName,
  providerAddress,
  providerUrl,
}: Omit<AddressPageOptions, 'formOrigin' | 'dashboardOrigin' | 'apiOrigin'>): string {
  const name = escapeText(providerName ?? '')
  const link = providerUrl === null ? name : `<a href="${escapeText(providerUrl)}">${name}</a>`
  return providerAddress === null ? link : `${link}, ${escapeText(providerAddress)}`
}

/** A service behind a proxy is opened on its own machine, too. */
function isLoopback(host: string | undefined): boolean {
  return host !== undefined && /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(host)
}

/** `:8080` of `127.0.0.1:8080`. */
function portOf(host: string | undefined): string {
  return /:\d+$/.exec(host ?? '')?.[0] ?? ''
}

interface AddressTexts {
  readonly title: string
  readonly dashboardTitle: string
  readonly api: string
  readonly isAt: string
  readonly why: string
  readonly runBy: string
}

const texts: Readonly<Record<Language, AddressTexts>> = {
  en: {
    title: 'Tessera is running',
    dashboardTitle: 'The dashboard is at another address',
    api: 'This address serves the API for merchants’ servers and the card form. There is nothing to see here in a browser.',
    isAt: 'Merchants’ dashboard:',
    why: 'The dashboard has an address of its own, so that it shares no cookies with the card form.',
    runBy: 'This service is run by',
  },
  ru: {
    title: 'Tessera работает',
    dashboardTitle: 'Кабинет находится по другому адресу',
    api: 'По этому адресу работают API для серверов мерчантов и форма карты. Открывать его в браузере незачем.',
    isAt: 'Кабинет мерчанта:',
    why: 'У кабинета отдельный адрес, чтобы у него не было общих cookie с формой карты.',
    runBy: 'Оператор сервиса:',
  },
  uz: {
    title: 'Tessera ishlayapti',
    dashboardTitle: 'Kabinet boshqa manzilda',
    api: 'Bu manzilda merchantlar serverlari uchun API va karta formasi ishlaydi. Uni brauzerda ochish shart emas.',
    isAt: 'Merchant kabineti:',
    why: 'Kabinetning manzili alohida, shuning uchun uning cookie fayllari karta formasi bilan umumiy emas.',
    runBy: 'Xizmat operatori:',
  },
}

const replyHeaders = {
  ...textHeaders,
  vary: 'Accept-Language',
  'x-robots-tag': 'noindex',
}
