import { toYearMonth } from '@tessera/contract/card'

import type { MovementKind } from '../../../store/operations.ts'
import { integerSetting, optionalSetting, textFileSetting, textSetting, type AdapterSetting } from '../../adapter.ts'
import { transportSettings } from '../../transport.ts'
import { declineReasons, definiteRefusals } from '../field-39.ts'
import { networkAdapter, queuedMaxMs, somNumericCode, type FollowUpRequest, type NetworkCard, type NetworkOutcome } from '../network.ts'
import { NetworkNotReached } from '../network-not-reached.ts'
import { routesSetting } from '../routes.ts'
import { makeTraceNumbers } from '../trace-numbers.ts'

import { makeIsoConnection, type IsoReply } from './connection.ts'
import { defaultDialect, readDialect, type IsoDialect } from './dialect.ts'

const fieldTableSetting: AdapterSetting<IsoDialect> = {
  row: { type: 'path', meaning: 'JSON file of the field table. By default ISO 8583:1987 in ASCII.', default: null },
  toValue: (value) => readDialect(typeof value === 'string' ? value : JSON.stringify(value)),
}

const settings = {
  host: textSetting('Host name of the ISO 8583 host, which its certificate must have.'),
  port: integerSetting('Port of the ISO 8583 host.', { from: 1, to: 65_535, default: 8583 }),
  ...transportSettings('the ISO 8583 host'),
  caFile: optionalSetting(
    textFileSetting('PEM file of the authorities that the certificate of the host is checked against. By default those of the system.'),
  ),
  fieldTable: optionalSetting(fieldTableSetting),
  routes: routesSetting(null),
  terminalId: textSetting('The terminal that the acquirer has registered: field 41, at most 8 characters.'),
  acceptorId: textSetting('The card acceptor that the acquirer has registered: field 42, at most 15 characters.'),
  echoSeconds: integerSetting('How often an idle connection is checked by an echo (0800).', { from: 5, to: 3600, default: 60 }),
}

/**
 * A host with ISO 8583 over TCP. Every call has a STAN that is stored before it is sent. After the authorization nothing has the card number, so
 * captures (0220) and reversals (0400) go without field 2 and name the authorization by fields 11, 37, 38 and 90; an attempt without a reply is repeated
 * (0221, 0401) with the same fields. There is no status inquiry. docs/guides/iso8583.md
 */
export const iso8583Network = networkAdapter({
  name: 'iso8583',
  isForTestOnly: false,
  keepsSessions: true,
  settings,
  create({ settings: given, takeTraceNumbers, clock, log }) {
    const dialect = given.fieldTable ?? defaultDialect
    const terminal = { 41: given.terminalId, 42: given.acceptorId }
    const { drawStan } = makeTraceNumbers((count) => takeTraceNumbers('iso8583', count))
    const connection = makeIsoConnection({
      host: given.host,
      port: given.port,
      dialect,
      tls: given.transport === 'private' ? null : { ca: given.caFile },
      clock,
      networkMessage: async (code) => {
        const { 7: time, 11: stan } = parseTrace(await issueTrace())
        return { mti: '0800', fields: { 7: time, 11: stan, 70: code } }
      },
      connectTimeoutMs: 5000,
      echoMs: given.echoSeconds * 1000,
      log,
    })

    return {
      routes: given.routes,
      admit: () => Promise.resolve(null),
      precheckCard: () => Promise.resolve(null),
      checkCode: () => Promise.resolve({ kind: 'unknown' }),
      startVerification,
      issueTrace,
      close: async () => connection.close(),
      status: () => Promise.resolve({ kind: 'noInquiry' }),

      async authorize({ hold, trace, amountTiyin, ...card }, signal) {
        const fields = {
          ...cardFields(card),
          3: '000000',
          4: formatAmount(amountTiyin),
          ...parseTrace(trace),
          ...dialect.constants,
          ...terminal,
          49: somNumericCode,
        }
        const reply = await connection.request({ mti: hold ? '0100' : '0200', fields }, signal)
        if (reply.kind === 'notSent') return { kind: 'declined', reason: 'systemError', rawCode: 'not_sent' }
        return toOutcome(reply, amountTiyin)
      },
      capture: (request, signal) => send('0220', request, signal),
      cancelHold: (request, signal) => send('0400', request, signal),
      refund: (request, signal) => send('0400', request, signal),
      async reverse(request, signal) {
        const outcome = await send('0400', request, signal)
        if (outcome.kind !== 'declined' || outcome.rawCode !== notFound) return outcome
        // The host has no such authorization. One that was sent just now may still be on its way to it, so the reversal is repeated until that is over.
        const decidesAt = queuedUntil(request.ofTrace)
        return clock.now() > decidesAt
          ? { kind: 'approved', networkRef: request.networkRef }
          : { kind: 'unknown', isAnswered: true, decidesAt }
      },
    }

    /** A number that no other process draws, the time, and the reference (field 37: year, day, hour and STAN, as is usual). */
    async function issueTrace(_kind?: MovementKind): Promise<string> {
      const stan = await drawStan()
      const now = new Date(clock.now()).toISOString()
      const [date, time] = [now.slice(5, 10).replace('-', ''), now.slice(11, 19).replaceAll(':', '')]
      const dayOfYear = Math.floor((clock.now() - Date.UTC(Number(now.slice(0, 4)), 0)) / dayMs) + 1
      return `${stan} ${date}${time} ${now.slice(3, 4)}${String(dayOfYear).padStart(3, '0')}${time.slice(0, 2)}${stan}`
    }

    /** After this time no host has the call in a queue; its own time is field 7, in UTC and without a year. */
    function queuedUntil(trace: string): number {
      const { 7: time } = parseTrace(trace)
      const [month, day, hour, minute, second] = [0, 2, 4, 6, 8].map((at) => Number(time.slice(at, at + 2)))
      const year = new Date(clock.now()).getUTCFullYear()
      const at = (of: number): number => Date.UTC(of, (month ?? 1) - 1, day, hour, minute, second)
      const sentAt = at(year) > clock.now() + dayMs ? at(year - 1) : at(year)
      return sentAt + queuedMaxMs
    }

    async function send(mti: '0220' | '0400', request: FollowUpRequest, signal: AbortSignal): Promise<NetworkOutcome> {
      const { trace, ofTrace, networkRef, isRepeat, ofHold, amountTiyin, ofAmountTiyin } = request
      const [reference = '', approvalCode = ''] = networkRef.includes('|') ? networkRef.split('|') : []
      const own = parseTrace(trace)
      const original = parseTrace(ofTrace)
      const fields = {
        ...own,
        3: '000000',
        4: formatAmount(mti === '0220' ? amountTiyin : ofAmountTiyin),
        37: reference === '' ? original[37] : reference,
        ...(approvalCode === '' ? {} : { 38: approvalCode }),
        ...terminal,
        49: somNumericCode,
        90: `${ofHold ? '0100' : '0200'}${original[11]}${original[7]}`.padEnd(42, '0'),
      }
      const reply = await connection.request({ mti: isRepeat ? mti.replace(/0$/, '1') : mti, fields }, signal)
      return toOutcome(reply, null)
    }

    async function startVerification(card: NetworkCard, signal: AbortSignal) {
      const { phoneInquiry } = dialect
      if (phoneInquiry === null) return { kind: 'refused', reason: 'smsNotConnected' } as const
      const fields = { ...cardFields(card), 3: phoneInquiry.processingCode, ...parseTrace(await issueTrace()), ...terminal }
      const reply = await connection.request({ mti: '0100', fields }, signal)
      if (reply.kind === 'notReached') throw new NetworkNotReached()
      if (reply.kind !== 'replied') return { kind: 'refused', reason: 'timeout' } as const
      const { 39: code, [phoneInquiry.field]: phone } = reply.message.fields
      const reason = code === '00' ? null : declineReasons[String(code)]
      if (reason === 'cardExpired' || reason === 'cardBlocked' || reason === 'systemError') return { kind: 'refused', reason } as const
      const digits = typeof phone === 'string' ? phone.trim().replace(/^\+/, '') : ''
      if (code !== '00' || !/^[0-9]{9,15}$/.test(digits)) return { kind: 'refused', reason: 'smsNotConnected' } as const
      return { kind: 'sentByService', phone: digits } as const
    }
  },
})

/** The digits of the card number stay bytes; the frame that holds them is wiped when it is written. */
function cardFields({ pan, expiry }: Pick<NetworkCard, 'pan' | 'expiry'>): Record<number, string | Uint8Array> {
  return { 2: pan.reveal(), 14: toYearMonth(expiry) }
}

function parseTrace(trace: string): { readonly 7: string; readonly 11: string; readonly 37: string } {
  const [stan = '', time = '', reference = ''] = trace.split(' ')
  if (reference === '') throw new Error('the call has no trace number')
  return { 7: time, 11: stan, 37: reference }
}

function formatAmount(tiyin: number): string {
  return String(tiyin).padStart(12, '0')
}

/** An approval of another amount than requested is an unknown outcome, which is reversed. Throws `NetworkNotReached`. */
function toOutcome(reply: IsoReply, amountTiyin: number | null): NetworkOutcome {
  if (reply.kind === 'notReached') throw new NetworkNotReached()
  if (reply.kind !== 'replied') return { kind: 'unknown' }
  const { 4: amount, 37: reference = '', 38: approvalCode = '', 39: code } = reply.message.fields
  if (code === '00') {
    const isAmountRight = amountTiyin === null || amount === undefined || Number(amount) === amountTiyin
    return isAmountRight
      ? { kind: 'approved', networkRef: `${String(reference).trim()}|${String(approvalCode).trim()}` }
      : { kind: 'unknown' }
  }
  // Approvals of another kind (08, 10, 11, 16, 32), a call in progress (09), a duplicate (94), a late reply (68), a host in trouble (06, 91, 96) and codes that
  // this table does not have: nothing is certain, and the call is reversed or repeated.
  if (typeof code !== 'string' || (code !== notFound && !definiteRefusals.has(code))) return { kind: 'unknown' }
  return { kind: 'declined', reason: declineReasons[code] ?? 'declined', rawCode: code }
}

/** Field 39: unable to locate the record. */
const notFound = '25'
const dayMs = 86_400_000
