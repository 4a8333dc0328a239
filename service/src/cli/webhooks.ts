import { ask } from './ask.ts'
import type { Asked, Command } from './command.ts'
import { CannotGoOn } from '../exits.ts'
import { printTable } from './table.ts'

export const merchantOption = { name: 'merchant', takes: '<id>', meaning: 'Whose; the demo merchant by default in the test environment.' }
const urlOption = { name: 'url', takes: '<url>', meaning: 'The endpoint; may be left out where there is only one.' }

export const webhooksAdd: Command = {
  name: 'webhooks add',
  summary: 'Adds an endpoint to which events are delivered, and prints its secret once.',
  about: 'https only; in the test environment http to this machine as well. Events that happen from now on go there.',
  options: [merchantOption, { name: 'url', takes: '<url>', meaning: 'Where the events go.' }],
  async run(asked) {
    if (!asked.options.has('url')) throw new CannotGoOn('usage', 'Say where the events go: tessera webhooks add --url https://…')
    const facts = (await ask(asked, { ask: 'webhooks.add', ...ofMerchant(asked) })) as { url: string; secret: string }
    return { exit: 'done', facts, text: `Events go to ${facts.url} from now on.\nSecret (shown once): ${facts.secret}` }
  },
}

export const webhooksList: Command = {
  name: 'webhooks list',
  summary: 'Lists the endpoints of a merchant.',
  options: [merchantOption],
  async run(asked) {
    const facts = (await ask(asked, { ask: 'webhooks.list', ...ofMerchant(asked) })) as { endpoints: ToldEndpoint[] }
    const rows = facts.endpoints.map((each) => [each.endpointId, each.url, each.createdAt, each.bothSecretsUntil])
    const text = rows.length === 0 ? 'No endpoint.' : printTable(['endpoint', 'url', 'added', 'both secrets until'], rows)
    return { exit: 'done', facts, text }
  },
}

export const webhooksRemove: Command = {
  name: 'webhooks remove',
  summary: 'Removes an endpoint; what waits for it is given up.',
  options: [merchantOption, urlOption],
  async run(asked) {
    const facts = (await ask(asked, { ask: 'webhooks.remove', ...ofMerchant(asked) })) as ToldEndpoint
    return { exit: 'done', facts, text: `No event goes to ${facts.url} any more.` }
  },
}

export const webhooksRotateSecret: Command = {
  name: 'webhooks rotate-secret',
  summary: 'Makes a new secret for an endpoint and prints it once; for a day both sign.',
  options: [merchantOption, urlOption],
  async run(asked) {
    const facts = (await ask(asked, { ask: 'webhooks.rotate-secret', ...ofMerchant(asked) })) as NewSecret
    const text = `Secret of ${facts.url} (shown once): ${facts.secret}\nThe one before signs beside it until ${facts.bothUntil}.`
    return { exit: 'done', facts, text }
  },
}

interface ToldEndpoint {
  readonly endpointId: string
  readonly url: string
  readonly createdAt: string
  readonly bothSecretsUntil: string | null
}

interface NewSecret {
  readonly url: string
  readonly secret: string
  readonly bothUntil: string
}

/** What was said of merchant and URL, for a question. */
export function ofMerchant({ options }: Asked): { merchantId?: string; url?: string } {
  const merchantId = options.get('merchant')
  const url = options.get('url')
  return { ...(merchantId === undefined ? {} : { merchantId }), ...(url === undefined ? {} : { url }) }
}
