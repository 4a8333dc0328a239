import type { Result } from '@tessera/contract/operations'
import { createWebhookSecret, formatWebhookSecret } from '@tessera/vault/webhook'

import { ExitError } from '../exits.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { makeAddressGuard, resolveBySystem } from '../../adapters/http/address-guard.ts'
import { makeWebhookPost, type WebhookPost } from '../../domain/webhooks/webhook-post.ts'
import { signatureHeaders } from '../../domain/webhooks/sign.ts'

import { callService } from './control-client.ts'
import type { Command, CommandInput } from './command.ts'
import { merchantOption, endpointOptions } from './webhooks.ts'

export const eventsListen: Command = {
  name: 'events listen',
  summary: 'Forwards the events of a merchant to a program on this machine, as they happen; for development.',
  details: 'Events are signed with a secret that is printed, and used only by this run. Each is sent once. Ctrl-C stops it.',
  options: [merchantOption, { name: 'forward-to', takes: '<url>', meaning: 'http://127.0.0.1:<port>/… of the program.' }],
  async run(input) {
    const clock = makeSystemClock()
    const guard = makeAddressGuard({ resolve: resolveBySystem, allowLoopback: true })
    const url = readTarget(input.options.get('forward-to'))
    const secret = createWebhookSecret()
    const post = makeWebhookPost({ guard, clock, timeoutMs: TIMEOUT_MS })
    const never = new AbortController().signal
    const listening = createEventForwarder({ input, post, url, secret, from: clock.now() })
    // Polls once before printing anything, because it may fail.
    await listening.poll(clock.now())
    printLine(
      input,
      { forwardingTo: url.href, secret: formatWebhookSecret(secret) },
      `Forwarding to ${url.href}\nSecret: ${formatWebhookSecret(secret)}`,
    )
    for (;;) {
      await listening.poll(clock.now())
      await clock.sleep(POLL_MS, never)
    }
  },
}

/** Events are listed by time, and one may be stored shortly after a later one. So each poll looks back a little, and forwarded events are remembered. */
function createEventForwarder({ input, post, url, secret, from }: EventForwarderDependencies): { poll(now: number): Promise<void> } {
  const seen = new Map<string, number>()
  return { poll }

  async function poll(now: number): Promise<void> {
    const since = Math.max(from, now - LOOK_BACK_MS)
    const { events } = await callService(input, 'operator.events.list', { from: since, ...endpointOptions(input) })
    for (const event of events.reverse()) {
      if (seen.has(event.eventId)) continue
      seen.set(event.eventId, event.at)
      await forward(event, now)
    }
    for (const [eventId, at] of seen) if (at < since - LOOK_BACK_MS) seen.delete(eventId)
  }

  async function forward({ eventId, type, objectId, body }: OperatorEvent, at: number): Promise<void> {
    const headers = signatureHeaders([secret], { id: eventId, at, body })
    const { outcome, status } = await post({ url, headers, body }, new AbortController().signal)
    printLine(input, { eventId, type, objectId, outcome, status }, `${type}  ${objectId}  ${outcome} ${status === 0 ? '' : String(status)}`)
  }
}

type OperatorEvent = Result<'operator.events.list'>['events'][number]

interface EventForwarderDependencies {
  readonly input: CommandInput
  readonly post: WebhookPost
  readonly url: URL
  readonly secret: Uint8Array
  readonly from: number
}

function readTarget(text: string | undefined): URL {
  const url = text === undefined ? null : URL.parse(text)
  const isHere = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname) && /^https?:$/.test(url.protocol)
  if (!isHere)
    throw new ExitError('usage', 'The program on this machine is missing: tessera events listen --forward-to http://127.0.0.1:3000/webhook')
  return url
}

function printLine({ json, print }: CommandInput, facts: object, text: string): void {
  print(json ? `${JSON.stringify(facts)}\n` : `${text}\n`)
}

const POLL_MS = 500
const LOOK_BACK_MS = 10_000
const TIMEOUT_MS = 15_000
