import type { EndpointDeeds } from '../merchants/endpoint.ts'

import type { Question, Reply } from './control-wire.ts'
import { badMerchant, isId, no, yes, type Answer, type Answers } from './replies.ts'

/** Answers about merchants' own endpoints. No answer has a password in it. */
export function answerEndpoints(deeds: EndpointDeeds): Answers {
  return {
    'merchants.endpoint.set': of(async (id, { url, login, password }) => {
      if (typeof url !== 'string' || typeof login !== 'string' || typeof password !== 'string') return no('bad_wish', 'A URL is wanted.')
      return told(await deeds.set(id, { url, login, password }))
    }),
    'merchants.endpoint.remove': of(async (id) => told(await deeds.remove(id))),
    'merchants.endpoint.test': of(async (id, { sum, account }) => {
      const said = await deeds.test({ merchantId: id, amountTiyin: typeof sum === 'number' ? sum : 0, account: textsOf(account) })
      return typeof said === 'string' ? no('refused', said) : yes({ merchantId: id, ...said })
    }),
  }
}

function of(then: (merchantId: string, question: Question) => Promise<Reply>): Answer {
  return (question) => (isId(question.merchantId) ? then(question.merchantId, question) : Promise.resolve(badMerchant()))
}

function told(changed: Awaited<ReturnType<EndpointDeeds['set']>>): Reply {
  if (typeof changed === 'string') return no('refused', changed)
  const { endpoint } = changed.settings
  const shown = endpoint === null ? null : { url: endpoint.url, login: endpoint.login }
  return yes({ merchantId: changed.row.id, endpoint: shown })
}

function textsOf(value: unknown): Record<string, string> {
  const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
  return Object.fromEntries(members.filter((member): member is [string, string] => typeof member[1] === 'string'))
}
