import type { OperatorResult } from '@tessera/contract/operations'
import { createWebhookSecret, formatWebhookSecret } from '@tessera/vault/webhook'

import { CannotGoOn } from '../exits.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { makeAddressGuard, resolveBySystem } from '../../adapters/http/address-guard.ts'
import { makeWebhookPost, type WebhookPost } from '../../domain/webhooks/webhook-post.ts'
import { signatureHeaders } from '../../domain/webhooks/sign.ts'

import { callService } from './control-client.ts'
import type { Command, CommandInput } from './command.ts'
import { merchantOption, endpointOptions } from './webhooks.ts'

export const eventsListen: Command = {
  name: 'events listen',
  summary: 'Forwards the events of a merchant, as they happen, to a program on this machine; for development.',
  about: 'They are signed with a secret that is printed and used only by this run. Each is sent once; Ctrl-C stops.',
  options: [merchantOption, { name: 'forward-to', takes: '<url>', meaning: 'http://127.0.0.1:<port>/… of the program.' }],
  async run(input) {
    const clock = makeSystemClock()
    const guard = makeAddressGuard({ resolve: resolveBySystem, allowLoopback: true })
    const url = readTarget(input.options.get('forward-to'))
    const secret = createWebhookSecret()
    const post = makeWebhookPost({ guard, clock, timeoutMs: TIMEOUT_MS })
    const never = new AbortController().signal
    const listening = makeListening({ input, post, url, secret, from: clock.now() })
    // The first look before the first word: where nothing runs, that is all there is to say.
    await listening.hear(clock.now())
    say(
      input,
      { forwardingTo: url.href, secret: formatWebhookSecret(secret) },
      `Forwarding to ${url.href}\nSecret: ${formatWebhookSecret(secret)}`,
    )
    for (;;) {
      await listening.hear(clock.now())
      await clock.sleep(POLL_MS, never)
    }
  },
}

/** Events are told by their moment, and one may be kept a little after a later one: so each look goes back a while, and what was seen is known. */
function makeListening({ input, post, url, secret, from }: ListeningParts): { hear(now: number): Promise<void> } {
  const seen = new Map<string, number>()
  return { hear }

  async function hear(now: number): Promise<void> {
    const since = Math.max(from, now - LOOK_BACK_MS)
    const told = await callService(input, 'operator.events.list', { from: since, ...endpointOptions(input) })
    for (const event of told.events.reverse()) {
      if (seen.has(event.eventId)) continue
      seen.set(event.eventId, event.at)
      await forward(event, now)
    }
    for (const [eventId, at] of seen) if (at < since - LOOK_BACK_MS) seen.delete(eventId)
  }

  async function forward({ eventId, type, objectId, body }: OperatorEvent, at: number): Promise<void> {
    const headers = signatureHeaders([secret], { id: eventId, at, body })
    const { outcome, status } = await post({ url, headers, body }, new AbortController().signal)
    say(input, { eventId, type, objectId, outcome, status }, `${type}  ${objectId}  ${outcome} ${status === 0 ? '' : String(status)}`)
  }
}

type OperatorEvent = OperatorResult<'operator.events.list'>['events'][number]

interface ListeningParts {
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
    throw new CannotGoOn('usage', 'Say which program on this machine: tessera events listen --forward-to http://127.0.0.1:3000/webhook')
  return url
}

function say({ json, print }: CommandInput, facts: object, text: string): void {
  print(json ? `${JSON.stringify(facts)}\n` : `${text}\n`)
}

const POLL_MS = 500
const LOOK_BACK_MS = 10_000
const TIMEOUT_MS = 15_000
