import { httpsUrlSetting, secretFileSetting } from '../adapter.ts'
import { smsAdapter } from './sms.ts'

/**
 * A skeleton to copy: an HTTP gateway that takes one message as JSON and answers 202, or 4xx when it refuses. It is compiled and passes the
 * suite of its port, and is not in the table of adapters: no such gateway exists.
 */
export const exampleGatewaySms = smsAdapter({
  name: 'example',
  isForTestOnly: false,
  settings: {
    url: httpsUrlSetting('Where the gateway takes messages.'),
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
      // No answer is not a refusal: the message may be on its way, and is not sent again.
      if (result.outcome !== 'answered' || result.status >= 500) return 'unknown'
      if (result.status < 300) return 'accepted'
      log('sms_rejected', { code: result.status })
      return 'rejected'
    },
  }),
})
