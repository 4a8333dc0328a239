import { ExitError } from '../exits.ts'

import { printTable, requireArguments, timeOption, type Command, type CommandInput } from './command.ts'
import { callService } from './control-client.ts'

export const merchantOption = {
  name: 'merchant',
  takes: '<id>',
  meaning: 'The merchant; the demo merchant by default in the test environment.',
}
const urlOption = { name: 'url', takes: '<url>', meaning: 'The endpoint, or its id; not needed when there is only one.' }

export const webhooksAdd: Command = {
  name: 'webhooks add',
  summary: 'Adds an endpoint for events, and prints its secret once.',
  details: 'https only; in the test environment also http to this machine. The endpoint gets events from now on.',
  options: [merchantOption, { name: 'url', takes: '<url>', meaning: 'Where the events go.' }],
  async run(input) {
    const url = input.options.get('url')
    if (url === undefined) throw new ExitError('usage', 'The URL is missing: tessera webhooks add --url https://…')
    const data = await callService(input, 'operator.webhooks.add', { ...endpointOptions(input), url })
    return { exit: 'done', data, text: `Events go to ${data.url} from now on.\nSecret (shown once): ${data.secret}` }
  },
}

export const webhooksList: Command = {
  name: 'webhooks list',
  summary: 'Lists the endpoints of a merchant.',
  options: [merchantOption],
  async run(input) {
    const data = await callService(input, 'operator.webhooks.list', endpointOptions(input))
    const rows = data.endpoints.map((each) => [
      each.endpointId,
      each.state === 'tampered' ? 'changed outside the service' : each.url,
      each.createdAt,
      each.bothSecretsUntil,
    ])
    const text = rows.length === 0 ? 'No endpoints.' : printTable(['endpoint', 'url', 'added', 'both secrets until'], rows)
    return { exit: 'done', data, text }
  },
}

export const webhooksRemove: Command = {
  name: 'webhooks remove',
  summary: 'Removes an endpoint and cancels its waiting deliveries.',
  options: [merchantOption, urlOption],
  async run(input) {
    const data = await callService(input, 'operator.webhooks.remove', endpointOptions(input))
    return { exit: 'done', data, text: `Endpoint ${data.state === 'tampered' ? data.endpointId : data.url} was removed.` }
  },
}

export const webhooksRotateSecret: Command = {
  name: 'webhooks rotate-secret',
  summary: 'Creates a new secret for an endpoint and prints it once. Both secrets sign for a day.',
  options: [merchantOption, urlOption],
  async run(input) {
    const data = await callService(input, 'operator.webhooks.rotate', endpointOptions(input))
    const text = `Secret of ${data.url} (shown once): ${data.secret}\nThe previous secret signs as well until ${data.bothUntil}.`
    return { exit: 'done', data, text }
  },
}

const countOption = { name: 'count', takes: '<n>', meaning: 'How many; 20 by default, 500 at most.' }

export const eventsList: Command = {
  name: 'events list',
  summary: 'Lists the events of a merchant with their deliveries, newest first.',
  options: [merchantOption, countOption],
  async run(input) {
    const data = await callService(input, 'operator.events.list', { count: countOf(input), ...endpointOptions(input) })
    const rows = data.events.map(({ eventId, type, objectId, at, deliveries }) => {
      return [
        eventId,
        new Date(at).toISOString(),
        type,
        objectId,
        deliveries.map(({ state, attemptCount }) => `${state} ${String(attemptCount)}`).join(', '),
      ]
    })
    return {
      exit: 'done',
      data,
      text: rows.length === 0 ? 'No events.' : printTable(['event', 'at', 'type', 'object', 'deliveries'], rows),
    }
  },
}

export const eventsDead: Command = {
  name: 'events dead',
  summary: 'Lists the deliveries that failed after all attempts, newest first.',
  options: [merchantOption, countOption],
  async run(input) {
    const data = await callService(input, 'operator.events.dead', { count: countOf(input), ...endpointOptions(input) })
    const rows = data.dead.map(({ eventId, endpointId, objectId, attemptCount, completedAt }) => [
      eventId,
      endpointId,
      objectId,
      attemptCount,
      completedAt,
    ])
    const text = rows.length === 0 ? 'No dead deliveries.' : printTable(['event', 'endpoint', 'object', 'attempts', 'failed at'], rows)
    return { exit: 'done', data, text }
  },
}

export const eventsReplay: Command = {
  name: 'events replay',
  args: '<event>',
  summary: 'Delivers an event again to every endpoint of its merchant, with a full set of attempts.',
  details: 'It keeps its webhook-id, and arrives after later events of the same object.',
  options: [merchantOption],
  async run(input) {
    const [eventId = ''] = requireArguments(input.args, 1, 1, 'events replay <event>')
    const data = await callService(input, 'operator.events.replay', { eventId, ...endpointOptions(input) })
    return { exit: 'done', data, text: `Event ${eventId} will be delivered again to ${String(data.endpoints)} endpoint(s).` }
  },
}

export const eventsReplayFailed: Command = {
  name: 'events replay-failed',
  summary: 'Delivers the failed events of an endpoint again, each with a full set of attempts.',
  details:
    'They keep their webhook-id, and are sent as fast as the endpoint takes them. The same command with the same --to does nothing\n' +
    'more. Ctrl-C ends it after the events that are scheduled already.',
  options: [
    merchantOption,
    urlOption,
    { name: 'from', takes: '<time>', meaning: 'What failed at this time or later: 2026-01-31, or 2026-01-31T09:00:00Z.' },
    { name: 'to', takes: '<time>', meaning: 'What failed before this time; by default now.' },
  ],
  async run(input) {
    const [from, given] = [timeOption(input, 'from', 0), timeOption(input, 'to', Number.MAX_SAFE_INTEGER)]
    const call = (to: number) => callService(input, 'operator.events.replayFailed', { ...endpointOptions(input), from, to })
    let page = await call(given)
    let replayed = page.replayed
    while (page.hasMore) {
      page = await call(page.to)
      replayed += page.replayed
    }
    const data = { url: page.url, replayed, to: new Date(page.to).toISOString() }
    return { exit: 'done', data, text: `${replayed} failed event(s) will be delivered again to ${data.url}.` }
  },
}

function countOf({ options }: CommandInput): number {
  const count = Number(options.get('count') ?? 20)
  if (!Number.isInteger(count) || count < 1 || count > 500) throw new ExitError('usage', '--count must be a whole number from 1 to 500.')
  return count
}

/** The options --merchant and --url. */
export function endpointOptions({ options }: CommandInput): { merchantId?: string; url?: string } {
  const merchantId = options.get('merchant')
  const url = options.get('url')
  return { ...(merchantId === undefined ? {} : { merchantId }), ...(url === undefined ? {} : { url }) }
}
