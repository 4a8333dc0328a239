import { CannotGoOn } from '../exits.ts'

import { printTable, wordsOf, type Command, type CommandInput } from './command.ts'
import { callService } from './control-client.ts'

export const merchantOption = {
  name: 'merchant',
  takes: '<id>',
  meaning: 'The merchant; the demo merchant by default in the test environment.',
}
const urlOption = { name: 'url', takes: '<url>', meaning: 'The endpoint; not needed where there is only one.' }

export const webhooksAdd: Command = {
  name: 'webhooks add',
  summary: 'Adds an endpoint for events, and prints its secret once.',
  about: 'https only; in the test environment http to this machine as well. It gets events that happen from now on.',
  options: [merchantOption, { name: 'url', takes: '<url>', meaning: 'Where the events go.' }],
  async run(input) {
    const url = input.options.get('url')
    if (url === undefined) throw new CannotGoOn('usage', 'Say where the events go: tessera webhooks add --url https://…')
    const facts = await callService(input, 'operator.webhooks.add', { ...endpointOptions(input), url })
    return { exit: 'done', facts, text: `Events go to ${facts.url} from now on.\nSecret (shown once): ${facts.secret}` }
  },
}

export const webhooksList: Command = {
  name: 'webhooks list',
  summary: 'Lists the endpoints of a merchant.',
  options: [merchantOption],
  async run(input) {
    const facts = await callService(input, 'operator.webhooks.list', endpointOptions(input))
    const rows = facts.endpoints.map((each) => [each.endpointId, each.url, each.createdAt, each.bothSecretsUntil])
    const text = rows.length === 0 ? 'No endpoint.' : printTable(['endpoint', 'url', 'added', 'both secrets until'], rows)
    return { exit: 'done', facts, text }
  },
}

export const webhooksRemove: Command = {
  name: 'webhooks remove',
  summary: 'Removes an endpoint. Deliveries that wait for it are given up.',
  options: [merchantOption, urlOption],
  async run(input) {
    const facts = await callService(input, 'operator.webhooks.remove', endpointOptions(input))
    return { exit: 'done', facts, text: `No event goes to ${facts.url} any more.` }
  },
}

export const webhooksRotateSecret: Command = {
  name: 'webhooks rotate-secret',
  summary: 'Creates a new secret for an endpoint and prints it once. For a day both secrets sign.',
  options: [merchantOption, urlOption],
  async run(input) {
    const facts = await callService(input, 'operator.webhooks.rotate', endpointOptions(input))
    const text = `Secret of ${facts.url} (shown once): ${facts.secret}\nThe one before signs beside it until ${facts.bothUntil}.`
    return { exit: 'done', facts, text }
  },
}

const countOption = { name: 'count', takes: '<n>', meaning: 'How many; 20 by default, 500 at most.' }

export const eventsList: Command = {
  name: 'events list',
  summary: 'Lists the events of a merchant with their deliveries, newest first.',
  options: [merchantOption, countOption],
  async run(input) {
    const facts = await callService(input, 'operator.events.list', { count: countOf(input), ...endpointOptions(input) })
    const rows = facts.events.map(({ eventId, type, objectId, at, deliveries }) => {
      return [
        eventId,
        new Date(at).toISOString(),
        type,
        objectId,
        deliveries.map(({ state, tries }) => `${state} ${String(tries)}`).join(', '),
      ]
    })
    return {
      exit: 'done',
      facts,
      text: rows.length === 0 ? 'No event yet.' : printTable(['event', 'at', 'type', 'of', 'deliveries'], rows),
    }
  },
}

export const eventsDead: Command = {
  name: 'events dead',
  summary: 'Lists the deliveries that were given up after all attempts, newest first.',
  options: [merchantOption, countOption],
  async run(input) {
    const facts = await callService(input, 'operator.events.dead', { count: countOf(input), ...endpointOptions(input) })
    const rows = facts.dead.map(({ eventId, endpointId, objectId, tries, settledAt }) => [eventId, endpointId, objectId, tries, settledAt])
    const text = rows.length === 0 ? 'Nothing was given up.' : printTable(['event', 'endpoint', 'of', 'tries', 'given up'], rows)
    return { exit: 'done', facts, text }
  },
}

export const eventsReplay: Command = {
  name: 'events replay',
  words: '<event>',
  summary: 'Delivers an event again to every endpoint of its merchant, with all attempts.',
  about: 'It has the same webhook-id, and comes after events of the same object that were delivered since.',
  options: [merchantOption],
  async run(input) {
    const [eventId = ''] = wordsOf(input.words, 1, 1, 'events replay <event>')
    const facts = await callService(input, 'operator.events.replay', { eventId, ...endpointOptions(input) })
    return { exit: 'done', facts, text: `Event ${eventId} goes to ${String(facts.endpoints)} endpoint(s) again.` }
  },
}

function countOf({ options }: CommandInput): number {
  const count = Number(options.get('count') ?? 20)
  if (!Number.isInteger(count) || count < 1 || count > 500) throw new CannotGoOn('usage', '--count wants a whole number from 1 to 500.')
  return count
}

/** The merchant and the URL that were typed. */
export function endpointOptions({ options }: CommandInput): { merchantId?: string; url?: string } {
  const merchantId = options.get('merchant')
  const url = options.get('url')
  return { ...(merchantId === undefined ? {} : { merchantId }), ...(url === undefined ? {} : { url }) }
}
