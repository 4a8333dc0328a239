import { isGsmText } from '@tessera/contract/sms-text'

import { AdapterConfigError, optionalSetting, secretFileSetting, textSetting, type AdapterSetting } from '../../adapter.ts'
import { transportSettings, type Transport } from '../../transport.ts'
import type { HttpPostResult } from '../../http/http-post.ts'
import {
  smsAdapter,
  weightSetting,
  type Sms,
  type SmsAdapterDependencies,
  type SmsDeliveryState,
  type SmsMessage,
  type SmsResult,
} from '../sms.ts'
import type { SmsTemplateValues } from './placeholders.ts'
import { errorOf, matchesReply, readTemplateReply, textAt, type TemplateReply } from './reply.ts'
import { buildTemplateRequest } from './request.ts'
import { readSmsTemplate, type RequestTemplate, type SmsTemplate, type StatusTemplate } from './template.ts'
import { makeGatewayToken } from './token.ts'

/** An HTTP gateway, described by a template: one that comes with the service (eskiz, playmobile, kannel) or a file of the operator's. */
export const httpSms = declareHttpSms('http')

/** A second one, for a second account or provider. */
export const secondHttpSms = declareHttpSms('http2')

function declareHttpSms(name: string) {
  return smsAdapter({
    name,
    isForTestOnly: false,
    settings: {
      template: templateSetting(),
      baseUrl: optionalSetting(textSetting('Scheme, host and port of the gateway, instead of those of the template.')),
      username: textSetting('The user name (or e-mail address) at the gateway.'),
      passwordFile: secretFileSetting('File with the password at the gateway.'),
      sender: textSetting('The sender that the phone shows: a short number or an alphanumeric name that the gateway has registered.'),
      ...weightSetting,
      ...transportSettings('the SMS gateway'),
    },
    findAddress: (value) => findAddress(value('baseUrl'), value('template')),
    checkSettings: (settings) => void findBaseUrl(name, settings),
    create: ({ settings, ...deps }) =>
      makeHttpSms({ ...deps, ...settings, password: settings.passwordFile, baseUrl: findBaseUrl(name, settings) }),
  })
}

function templateSetting(): AdapterSetting<SmsTemplate> {
  const meaning = 'How the gateway is called: eskiz, playmobile, kannel, or the absolute path of a file (docs/operating/sms.md).'
  return {
    row: { type: 'text', meaning, default: null },
    toValue: (value) => readSmsTemplate(typeof value === 'string' ? value : JSON.stringify(value)),
  }
}

/** Null when the template cannot be read, which `checkSettings` says why. */
function findAddress(baseUrl: unknown, template: unknown): URL | null {
  if (typeof baseUrl === 'string') return URL.parse(baseUrl)
  if (typeof template !== 'string') return null
  try {
    return URL.parse(readSmsTemplate(template).baseUrl ?? '')
  } catch (err) {
    if (err instanceof AdapterConfigError) return null
    throw err
  }
}

interface GatewayAddress {
  readonly template: SmsTemplate
  readonly baseUrl: string | null
  readonly transport: Transport
}

/** The origin of the gateway: that of the settings, or of the template. Throws `AdapterConfigError` when it cannot be used. */
function findBaseUrl(name: string, { template, baseUrl, transport }: GatewayAddress): string {
  const prefix = `TESSERA_SMS_${name.toUpperCase()}`
  const chosen = baseUrl ?? template.baseUrl
  if (chosen === null) throw new AdapterConfigError(`the template ${template.name} has no address of its own: set ${prefix}_BASE_URL.`)
  const url = URL.parse(chosen)
  const isBare = url !== null && url.pathname === '/' && url.search === '' && url.hash === '' && url.username === '' && url.password === ''
  if (url === null || !isBare || !['http:', 'https:'].includes(url.protocol)) {
    // Not repeated in the message: it may contain a password.
    const source = baseUrl === null ? `baseUrl of the template ${template.name}` : `${prefix}_BASE_URL`
    throw new AdapterConfigError(`${source} is no address of a gateway: give scheme, host and port only, such as https://sms.example.uz.`)
  }
  if (url.protocol === 'http:' && transport !== 'private') {
    const remedy = `use https, or declare the line private (${prefix}_TRANSPORT) with its reason`
    throw new AdapterConfigError(`the gateway at ${url.origin} has no TLS: ${remedy}.`)
  }
  return url.origin
}

export interface HttpSmsOptions extends Pick<SmsAdapterDependencies, 'request' | 'clock' | 'log'> {
  readonly template: SmsTemplate
  readonly baseUrl: string
  readonly username: string
  readonly password: string
  readonly sender: string
  readonly weight?: number
}

export function makeHttpSms(options: HttpSmsOptions): Sms {
  const { template, baseUrl, username, password, sender, weight = 1, request, log } = options
  const credentials: SmsTemplateValues = { username, password, sender }
  const token = template.signIn === null ? null : makeGatewayToken({ ...options, template: template.signIn, values: credentials })
  const { status } = template
  return Object.freeze<Sms>({
    weight,
    async send(message, signal) {
      const result = await call(template.send.request, valuesOf(message), signal)
      return result === null ? { outcome: 'rejected', error: 'not signed in' } : readResult(result, message)
    },
    ...(status !== null && {
      findDelivery: async (gatewayMessageId: string, signal: AbortSignal) =>
        readStatus(status, await call(status.request, { gatewayMessageId }, signal)),
    }),
  })

  /** Null when there is no token: then nothing was sent. A token that is refused is replaced, and the call repeated once. */
  async function call(from: RequestTemplate, values: SmsTemplateValues, signal: AbortSignal): Promise<HttpPostResult | null> {
    if (token === null || template.signIn === null)
      return request(buildTemplateRequest(from, baseUrl, { ...credentials, ...values }), signal)
    for (let attempt = 1; ; attempt++) {
      const current = await token.get(signal)
      if (current === null) return null
      const result = await request(buildTemplateRequest(from, baseUrl, { ...credentials, ...values, token: current }), signal)
      const isRefused = result.outcome === 'responded' && matchesReply(template.signIn.expired, readTemplateReply(result))
      if (!isRefused) return result
      token.discard(current)
      if (attempt === 2) return result
    }
  }

  function readResult(result: HttpPostResult, { messageId }: SmsMessage): SmsResult {
    if (result.outcome !== 'responded') {
      // Without a connection nothing was sent. Otherwise the message may be on its way.
      const wasNeverSent = result.mayHaveArrived === false
      const error = result.outcome === 'stopped' ? 'late' : result.outcome
      return { outcome: wasNeverSent ? 'rejected' : 'unknown', error }
    }
    const reply = readTemplateReply(result)
    const { send, signIn } = template
    if (matchesReply(send.rejected, reply) || (signIn !== null && matchesReply(signIn.expired, reply))) {
      log('sms_rejected', { code: reply.status })
      return { outcome: 'rejected', error: errorOf(reply, send.error) }
    }
    if (matchesReply(send.accepted, reply)) return { outcome: 'accepted', gatewayMessageId: idOf(reply, messageId) }
    log('sms_reply_unknown', { code: reply.status })
    return { outcome: 'unknown', error: errorOf(reply, send.error) }
  }

  function readStatus(status: StatusTemplate, result: HttpPostResult | null): SmsDeliveryState {
    if (result === null || result.outcome !== 'responded') return { outcome: 'unavailable' }
    const reply = readTemplateReply(result)
    if (matchesReply(status.delivered, reply)) return { outcome: 'delivered' }
    if (matchesReply(status.failed, reply)) return { outcome: 'failed', error: errorOf(reply, status.error) }
    if (reply.status < 300 || reply.status === 404) return { outcome: 'pending' }
    log('sms_status_refused', { code: reply.status })
    return { outcome: 'unavailable' }
  }

  function idOf(reply: TemplateReply, messageId: string): string | null {
    const { id } = template.send
    if (id === null) return null
    const found = id === '{messageId}' ? messageId : textAt(reply, id)
    return found !== null && /^[!-~]{1,64}$/.test(found) ? found : null
  }
}

function valuesOf({ phone, text, messageId, lifetimeSeconds }: SmsMessage): SmsTemplateValues {
  return { phone, text, messageId, lifetimeSeconds: String(lifetimeSeconds), coding: isGsmText(text) ? '0' : '2' }
}
