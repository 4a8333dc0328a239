import { httpsUrlSetting, secretFileSetting } from '../adapter.ts'
import type { HttpPostResult } from '../http/http-post.ts'
import type { HolderMatch } from '../holder-match.ts'
import { holderAdapter, type HolderRequest, type HolderService } from './holder.ts'

/**
 * A service with one call: POST of `{requestId, merchantId, card, phone, holder}` as JSON with a bearer token, and the reply `{"match": true}`, `false` or
 * `null` for what it does not know. `card` is masked; `holder` is the network's reference of the cardholder, or null. Put a translation in front of a
 * service with another interface.
 */
export const httpHolder = holderAdapter({
  name: 'http',
  isForTestOnly: false,
  settings: {
    url: httpsUrlSetting("URL of the service that says whether a phone is the cardholder's."),
    tokenFile: secretFileSetting('File with the bearer token of that service.'),
  },
  create: ({ settings: { url, tokenFile: token }, http }): HolderService =>
    Object.freeze({
      async check({ requestId, merchantId, maskedPan, phone, holderReference }: HolderRequest, signal: AbortSignal): Promise<HolderMatch> {
        const body = JSON.stringify({ requestId, merchantId, card: maskedPan, phone, holder: holderReference })
        return readMatch(await http({ url, headers: { authorization: `Bearer ${token}` }, body }, signal))
      },
    }),
})

/** Throws for a reply that says nothing, which counts as a failure of the service. */
function readMatch(result: HttpPostResult): HolderMatch {
  if (result.outcome !== 'responded') throw new Error(`the holder service did not reply: ${result.outcome}`)
  if (result.status !== 200 || result.body === null) throw new Error(`the holder service replied with the status ${result.status}`)
  const reply: unknown = JSON.parse(Buffer.from(result.body).toString('utf8'))
  const match = typeof reply === 'object' && reply !== null ? (reply as { readonly match?: unknown }).match : undefined
  if (match === null) return 'unknown'
  if (typeof match !== 'boolean') throw new Error('the holder service replied without match: true, false or null')
  return match ? 'match' : 'mismatch'
}
