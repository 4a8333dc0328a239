import { ask } from './ask.ts'
import type { Asked, Command } from './command.ts'
import { CannotGoOn } from '../exits.ts'
import { wordsOf } from './keys.ts'
import { printTable } from './table.ts'
import { merchantOption, ofMerchant } from './webhooks.ts'

export interface ListedEvent {
  readonly eventId: string
  readonly type: string
  readonly objectId: string
  /** Unix milliseconds. */
  readonly at: number
  readonly body: string
  readonly deliveries: readonly ListedDelivery[]
}

interface ListedDelivery {
  readonly eventId: string
  readonly endpointId: string
  readonly objectId: string
  readonly state: string
  readonly tries: number
  readonly dueAt: string | null
  readonly settledAt: string | null
}

const countOption = { name: 'count', takes: '<n>', meaning: 'How many; 20 by default, 500 at most.' }

export const eventsList: Command = {
  name: 'events list',
  summary: 'Lists the events of a merchant, newest first, and how far each has come.',
  options: [merchantOption, countOption],
  async run(asked) {
    const facts = (await ask(asked, { ask: 'events.list', count: countOf(asked), ...ofMerchant(asked) })) as { events: ListedEvent[] }
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
  summary: 'Lists the deliveries that were given up after all their tries, newest first.',
  options: [merchantOption, countOption],
  async run(asked) {
    const facts = (await ask(asked, { ask: 'events.dead', count: countOf(asked), ...ofMerchant(asked) })) as { dead: ListedDelivery[] }
    const rows = facts.dead.map(({ eventId, endpointId, objectId, tries, settledAt }) => [eventId, endpointId, objectId, tries, settledAt])
    const text = rows.length === 0 ? 'Nothing was given up.' : printTable(['event', 'endpoint', 'of', 'tries', 'given up'], rows)
    return { exit: 'done', facts, text }
  },
}

export const eventsReplay: Command = {
  name: 'events replay',
  words: '<event>',
  summary: 'Delivers an event anew to every endpoint of its merchant, with every try before it.',
  about: 'It comes with the same webhook-id, and after events of the same object that were delivered since.',
  options: [merchantOption],
  async run(asked) {
    const [eventId] = wordsOf(asked.words, 1, 1, 'events replay <event>')
    const facts = (await ask(asked, { ask: 'events.replay', eventId, ...ofMerchant(asked) })) as { endpoints: number }
    return { exit: 'done', facts, text: `Event ${String(eventId)} goes to ${String(facts.endpoints)} endpoint(s) again.` }
  },
}

function countOf({ options }: Asked): number {
  const count = Number(options.get('count') ?? 20)
  if (!Number.isInteger(count) || count < 1 || count > 500) throw new CannotGoOn('usage', '--count wants a whole number from 1 to 500.')
  return count
}
