import Type from 'typebox'

import { operationsByName } from './operation.ts'
import { defineOperatorOperation, isoTimestamp, isoTimestampOrNull } from './operator.ts'

const text = Type.String()
const phone = Type.String({ pattern: '^[0-9]{9,15}$', description: 'A phone is 9 to 15 digits, country code first: +998901234567.' })

/** One message that was given to one gateway. */
const sentSms = Type.Object({
  messageId: Type.String({ description: 'Ours.' }),
  gateway: Type.String({ description: 'The adapter.' }),
  merchantId: Type.String({ description: "'' for a test." }),
  purpose: Type.Enum(['code', 'receipt', 'test']),
  subject: Type.String({ description: "The card or receipt; '' for a test." }),
  phone: Type.String({ description: 'Masked.' }),
  parts: Type.Integer({ description: 'Segments.' }),
  outcome: Type.Enum(['requested', 'accepted', 'rejected', 'unknown'], {
    description: 'Of the gateway; requested: none was stored, the process ended meanwhile.',
  }),
  gatewayMessageId: Type.String({ description: "'' when the gateway named none." }),
  error: text,
  requestedAt: isoTimestamp,
  acceptedAt: isoTimestampOrNull,
  deliveredAt: isoTimestampOrNull,
  failedAt: isoTimestampOrNull,
})

export const operatorSmsFindContract = defineOperatorOperation('operator.sms.find', {
  summary: 'Lists the newest messages to a phone, and what became of each. Audited.',
  mutates: true,
  params: Type.Object({ phone, count: Type.Integer({ minimum: 1, maximum: 500 }) }),
  result: Type.Object({ messages: Type.Array(sentSms), days: Type.Integer({ description: 'For how many days messages are stored.' }) }),
})

export const operatorSmsStatusContract = defineOperatorOperation('operator.sms.status', {
  summary: 'Returns what became of the messages of the last hours, for each gateway.',
  mutates: false,
  params: Type.Object({ hours: Type.Integer({ minimum: 1, maximum: 9600, description: 'Hours are a whole number from 1 to 9600.' }) }),
  result: Type.Object({
    since: isoTimestamp,
    gateways: Type.Array(
      Type.Object({
        gateway: text,
        isConfigured: Type.Boolean(),
        breaker: Type.Enum(['closed', 'half_open', 'open', 'none']),
        sent: Type.Integer({ description: 'Given to the gateway.' }),
        accepted: Type.Integer(),
        rejected: Type.Integer(),
        unknown: Type.Integer({ description: 'Without an outcome.' }),
        delivered: Type.Integer({ description: 'Reported as delivered.' }),
        failed: Type.Integer({ description: 'Accepted, and reported as not delivered.' }),
        parts: Type.Integer({ description: 'Segments of the accepted messages.' }),
        medianDeliverySeconds: Type.Union([Type.Number(), Type.Null()]),
      }),
    ),
  }),
})

export const operatorSmsTestContract = defineOperatorOperation('operator.sms.test', {
  summary: 'Sends a test message through each gateway. Audited.',
  mutates: true,
  params: Type.Object({
    phone,
    gateway: Type.Optional(Type.String({ pattern: '^[a-z0-9]{1,30}$', description: 'A gateway is the name of an adapter.' })),
  }),
  result: Type.Object({ messages: Type.Array(Type.Object({ ...sentSms.properties, milliseconds: Type.Number() })) }),
})

export const operatorSmsOperations = operationsByName(operatorSmsFindContract, operatorSmsStatusContract, operatorSmsTestContract)
