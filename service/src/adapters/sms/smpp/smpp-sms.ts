import {
  AdapterConfigError,
  choiceSetting,
  integerSetting,
  optionalSetting,
  secretFileSetting,
  textFileSetting,
  textSetting,
} from '../../adapter.ts'
import { transportSettings } from '../../transport.ts'
import { smsAdapter, weightSetting, type Sms, type SmsAdapterDependencies, type SmsDeliveryReport, type SmsResult } from '../sms.ts'

import { makeSmppConnection, type SmppConnectionOptions } from './connection.ts'
import { encodeSegments, type SmppAlphabet } from './message.ts'
import { encodeSubmit, smppStatuses, type BindBody, type SmppAddress } from './pdu.ts'
import { idOfResponse, readReceipt, type MessageIdRadix } from './receipt.ts'
import { formatStatus, type SmppReply } from './session.ts'

/** A message centre with SMPP 3.4. docs/operating/sms.md */
export const smppSms = declareSmppSms('smpp')

/** A second one, for a second account or provider. */
export const secondSmppSms = declareSmppSms('smpp2')

function declareSmppSms(name: string) {
  return smsAdapter({
    name,
    isForTestOnly: false,
    keepsSessions: true,
    settings: {
      host: textSetting('Host name of the message centre, which its certificate must have.'),
      port: integerSetting('Port of the message centre.', { from: 1, to: 65_535, default: 3550 }),
      ...transportSettings('the message centre'),
      caFile: optionalSetting(
        textFileSetting('PEM file of the authorities that its certificate is checked against. By default those of the system.'),
      ),
      systemId: textSetting('The account (system_id), at most 15 characters.'),
      passwordFile: secretFileSetting('File with the password of the account, at most 8 characters.'),
      systemType: optionalSetting(
        textSetting('The type that the provider asks for (system_type), at most 12 characters; most ask for none.'),
      ),
      bind: choiceSetting(
        'What it binds: one session as a transceiver, or two, a transmitter and a receiver, for a message centre that has no bind_transceiver.',
        { choices: ['transceiver', 'transmitter_and_receiver'], default: 'transceiver' },
      ),
      sender: textSetting('The sender that the phone shows: digits, or up to 11 letters and digits that the provider has registered.'),
      window: integerSetting('Messages that may wait for their response at the same time, as the provider allows.', {
        from: 1,
        to: 1000,
        default: 10,
      }),
      enquireSeconds: integerSetting('How often an idle connection is checked (enquire_link).', { from: 5, to: 3600, default: 30 }),
      alphabet: choiceSetting(
        'The default alphabet of the message centre: that of SMS, or ISO 8859-1. Ask the provider: they differ in @.',
        {
          choices: ['gsm', 'latin1'],
          default: 'gsm',
        },
      ),
      messageIds: choiceSetting(
        'How ids in delivery receipts differ from those in responses: same; hex_response (hexadecimal there, decimal in receipts); hex_receipt.',
        { choices: ['same', 'hex_response', 'hex_receipt'], default: 'same' },
      ),
      ...weightSetting,
    },
    checkSettings: ({ systemId, passwordFile: password, systemType }) =>
      void requireShort({ systemId, password, systemType: systemType ?? '' }, name),
    create({ settings, clock, log }) {
      const { host, port, transport, caFile, systemId, systemType, passwordFile: password, enquireSeconds } = settings
      return makeSmppSms({
        ...settings,
        gateway: name,
        connection: {
          host,
          port,
          clock,
          bindMode: settings.bind,
          window: settings.window,
          tls: transport === 'private' ? null : { ca: caFile },
          bind: requireShort({ systemId, password, systemType: systemType ?? '' }, name),
          replyTimeoutMs: 5000,
          enquireMs: enquireSeconds * 1000,
          firstBindMs: 1000,
          reconnectMs: 1000,
          throttleMs: 250,
        },
        log,
      })
    },
  })
}

/** §5.2: the field sizes without their last octet. */
function requireShort(bind: BindBody, name: string): BindBody {
  for (const [member, max] of [
    ['systemId', 15],
    ['password', 8],
    ['systemType', 12],
  ] as const) {
    if (bind[member].length > max || !/^[\x20-\x7e]*$/.test(bind[member]))
      throw new AdapterConfigError(`the ${member} of the SMS gateway ${name} must have at most ${String(max)} ASCII characters (SMPP 3.4).`)
  }
  return bind
}

export interface SmppSmsOptions extends Pick<SmsAdapterDependencies, 'log'> {
  readonly gateway: string
  readonly connection: Omit<SmppConnectionOptions, 'onDeliver' | 'log'>
  readonly sender: string
  readonly alphabet: SmppAlphabet
  readonly messageIds: MessageIdRadix
  readonly weight?: number
}

export function makeSmppSms({ gateway, connection: options, sender, alphabet, messageIds, weight = 1, log }: SmppSmsOptions): Sms {
  let listener: (report: SmsDeliveryReport) => Promise<void> = () => Promise.resolve()
  const connection = makeSmppConnection({
    ...options,
    log: (event, details) => log(event, { gateway, ...details }),
    async onDeliver(body) {
      const report = readReceipt(body, messageIds)
      if (report !== null) await listener(report)
    },
  })
  const source = addressOfSender(sender)
  return Object.freeze<Sms>({
    weight,
    watchDeliveries(given) {
      listener = given
      connection.start()
    },
    listConnections: connection.list,
    close: async () => connection.close(),
    async send({ messageId, phone, text, lifetimeSeconds }, signal) {
      // The end of our id is random, so that the messages of two processes to one phone have different references.
      const segments = encodeSegments(text, alphabet, Number.parseInt(messageId.slice(-2), 16))
      const destination = { ton: 1, npi: 1, address: phone }
      let result: SmsResult = { outcome: 'rejected' }
      for (const [at, segment] of segments.entries()) {
        // The phone shows nothing before the last segment is there, so that its receipt is that of the message.
        const wantsReceipt = at === segments.length - 1
        const body = encodeSubmit({ ...segment, source, destination, validSeconds: lifetimeSeconds, wantsReceipt })
        result = resultOf(await connection.submit(body, signal), messageIds)
        if (result.outcome === 'accepted') continue
        // A message of which a segment was sent is not certainly not on its way.
        return at > 0 ? { ...result, outcome: 'unknown' } : result
      }
      return result
    },
  })
}

function resultOf(outcome: SmppReply, radix: MessageIdRadix): SmsResult {
  if (outcome.kind === 'notSent') return { outcome: 'rejected', error: outcome.why }
  if (outcome.kind === 'unknown') return { outcome: 'unknown', error: 'no response' }
  const { status, messageId } = outcome
  if (status === smppStatuses.ok) return { outcome: 'accepted', gatewayMessageId: messageId === '' ? null : idOfResponse(messageId, radix) }
  // These do not say what became of the message.
  const isVague = status === smppStatuses.systemError || status === smppStatuses.unknownError
  return { outcome: isVague ? 'unknown' : 'rejected', error: `smpp ${formatStatus(status)}` }
}

/** §5.2.5: letters are an alphanumeric sender, many digits an international number, few a short number of the network. */
function addressOfSender(sender: string): SmppAddress {
  if (!/^[0-9]+$/.test(sender)) return { ton: 5, npi: 0, address: sender }
  return sender.length > 6 ? { ton: 1, npi: 1, address: sender } : { ton: 3, npi: 0, address: sender }
}
