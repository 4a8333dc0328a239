import type { IncomingMessage } from 'node:http'

import type { ProblemName } from './problem.ts'
import type { RequestHeaders } from './request-headers.ts'

/**
 * What node lets pass and we refuse, because a proxy before us could read it as another request than we do (RFC 9112 §3.2, §6.1, §11.2); null
 * when all is well. What node's parser refuses by itself never comes here.
 */
export function findProtocolFault(req: IncomingMessage, headers: RequestHeaders): ProblemName | null {
  const isVersion11 = req.httpVersionMajor === 1 && req.httpVersionMinor === 1
  if (!isVersion11 && !(req.httpVersionMajor === 1 && req.httpVersionMinor === 0)) return 'invalidHttp'
  if (headers.count > headersMax) return 'headersTooLarge'
  if (headers.hosts > 1) return 'hostTwice'
  if (headers.hosts === 0 && isVersion11) return 'hostMissing'
  if (!req.url?.startsWith('/')) return 'targetForm'
  if (isFramedTwice(headers) || (headers.transferEncodings > 0 && !isVersion11)) return 'framing'
  if (headers.hasBody && bodyless.has(req.method)) return 'bodyNotExpected'
  return null
}

function isFramedTwice({ transferEncoding, transferEncodings, contentLengths }: RequestHeaders): boolean {
  if (transferEncodings + contentLengths > 1) return true
  return transferEncoding !== null && transferEncoding.toLowerCase() !== 'chunked'
}

const bodyless: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS'])
const headersMax = 256
