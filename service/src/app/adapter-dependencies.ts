import type { AdapterDependencies } from '../adapters/adapter.ts'
import { hostOf, resolveBySystem } from '../adapters/http/address-guard.ts'
import { makeHttpPost, makeHttpRequest } from '../adapters/http/http-post.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../ops/config/config.ts'
import type { Log } from '../ops/logging/log.ts'

/**
 * The dependencies of every adapter. The HTTP client calls the address that the operator configured, public or private, over https with a verified
 * certificate. Responses are limited to 64 KiB and `timeoutMs`.
 */
export function adapterDependencies(
  { dataFolder }: Pick<Config, 'dataFolder'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  timeoutMs: number,
): AdapterDependencies {
  const guard = { choose: async (url: URL) => (await resolveBySystem(hostOf(url)))[0] ?? null }
  const options = { guard, clock, timeoutMs, replyBytesMax: 64 * 1024 }
  return {
    http: makeHttpPost(options),
    request: makeHttpRequest(options),
    clock,
    log: log.info,
    dataFolder,
  }
}
