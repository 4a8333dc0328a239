import { httpsUrlSetting, secretFileSetting } from '../adapter.ts'
import { smsAdapter } from './sms.ts'

/**
 * A skeleton to copy: an HTTP gateway that accepts one message as JSON and responds with 202, or with 4xx when it refuses. It is compiled and
 * passes the suite of its port, but is not in the table of adapters, because no such gateway exists.
 */
export const exampleGatewaySms = smsAdapter({
  name: 'example',
  isForTestOnly: false,
  settings: {
    url: httpsUrlSetting('The URL to which the gateway accepts messages.'),
    tokenFile: secretFileSetting('File with the bearer token of the gateway.'),
  },
  create: ({ settings, http, log }) => ({
    async send({ messageId, phone, text, lifetimeSeconds }, signal) {
      const result = await http(
        {
          url: settings.url,
          headers: { authorization: `Bearer ${settings.tokenFile}`, 'idempotency-key': messageId },
          body: JSON.stringify({ to: phone, text, ttl: lifetimeSeconds }),
        },
        signal,
      )
      // No response is not a refusal: the message may be on its way, and is not sent again.
      if (result.outcome !== 'responded' || result.status >= 500) return { outcome: 'unknown' }
      if (result.status < 300) return { outcome: 'accepted', gatewayMessageId: messageId }
      log('sms_rejected', { code: result.status })
      return { outcome: 'rejected', error: `http ${String(result.status)}` }
    },
  }),
})
