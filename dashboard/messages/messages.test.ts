import assert from 'node:assert/strict'
import { test } from 'node:test'

import { errors } from '@tessera/contract/errors'
import { receiptStatuses } from '@tessera/contract/receipt-status'

import { exportMessages } from '../export/export-messages.ts'
import { accountPageMessages } from '../pages/account/account-messages.ts'
import { auditPageMessages } from '../pages/audit/audit-messages.ts'
import { cardPageMessages } from '../pages/cards/card-messages.ts'
import { compliancePageMessages } from '../pages/compliance/compliance-messages.ts'
import { customerPageMessages } from '../pages/customers/customer-messages.ts'
import { formBuilderMessages } from '../pages/form/form-messages.ts'
import { overviewPageMessages } from '../pages/overview/overview-messages.ts'
import { pageCheckMessages } from '../pages/page-check/page-check-messages.ts'
import { receiptActionMessages } from '../pages/receipts/receipt-action-messages.ts'
import { receiptPageMessages } from '../pages/receipts/receipt-messages.ts'
import { totalsMessages } from '../pages/receipts/totals-messages.ts'
import { requestPageMessages } from '../pages/requests/request-messages.ts'
import { sandboxPageMessages } from '../pages/sandbox/sandbox-messages.ts'
import { searchMessages } from '../pages/search/search-messages.ts'
import { settingsPageMessages } from '../pages/settings/settings-messages.ts'
import { startPageMessages } from '../pages/start/start-messages.ts'
import { userPageMessages } from '../pages/users/user-messages.ts'
import { viewMessages } from '../views/view-messages.ts'
import { verificationPageMessages } from '../pages/verification/verification-messages.ts'
import { webhookPageMessages } from '../pages/webhooks/webhook-messages.ts'
import { actorLabel, auditLabels, changeLabel, changeValue, outcomeLabel } from './audit-labels.ts'
import { commonEn } from './en.ts'
import { labelOf } from './lookup.ts'
import { reasonMessages } from './reason-messages.ts'
import { commonRu } from './ru.ts'
import { commonUz } from './uz.ts'

const tables = {
  common: { en: commonEn, ru: commonRu, uz: commonUz },
  'audit labels': auditLabels,
  account: accountPageMessages,
  audit: auditPageMessages,
  cards: cardPageMessages,
  compliance: compliancePageMessages,
  customers: customerPageMessages,
  export: exportMessages,
  form: formBuilderMessages,
  overview: overviewPageMessages,
  'page check': pageCheckMessages,
  reasons: reasonMessages,
  receipts: receiptPageMessages,
  'receipt actions': receiptActionMessages,
  requests: requestPageMessages,
  sandbox: sandboxPageMessages,
  search: searchMessages,
  settings: settingsPageMessages,
  start: startPageMessages,
  totals: totalsMessages,
  users: userPageMessages,
  verification: verificationPageMessages,
  views: viewMessages,
  webhooks: webhookPageMessages,
}

/** Every text of a table by its path. A function is called with a number, which is what all of them take or print. */
function texts(table: unknown, path = ''): [path: string, text: string][] {
  if (typeof table === 'string') return [[path, table]]
  if (typeof table === 'function') return [[path, String((table as (value: number) => unknown)(7))]]
  if (typeof table !== 'object' || table === null) return []
  return Object.entries(table).flatMap(([key, value]) => texts(value, path === '' ? key : `${path}.${key}`))
}

function placeholders(text: string): string[] {
  return (text.match(/\{\d\}/g) ?? []).toSorted()
}

for (const [name, { en, ru, uz }] of Object.entries(tables)) {
  test(`the texts of ${name} exist in every language, each with the placeholders of the English one`, () => {
    const [english, russian, uzbek] = [en, ru, uz].map((table) => new Map(texts(table)))
    for (const translated of [russian, uzbek]) {
      assert.deepEqual([...(translated?.keys() ?? [])].toSorted(), [...(english?.keys() ?? [])].toSorted())
      for (const [path, text] of translated ?? []) {
        assert.notEqual(text.trim(), '', path)
        assert.deepEqual(placeholders(text), placeholders(english?.get(path) ?? ''), path)
      }
    }
  })

  test(`no text of ${name} was left in English in the Russian and the Uzbek table`, () => {
    const english = new Map(texts(en))
    for (const translated of [ru, uz]) {
      const left = texts(translated).filter(([path, text]) => text === english.get(path) && !isSameEverywhere(text))
      assert.deepEqual(left, [])
    }
  })
}

/** Names, codes and loan words that are written alike in English and in Uzbek. */
function isSameEverywhere(text: string): boolean {
  return !/\p{L}{2}/u.test(text) || sameWords.has(text) || /^[a-z_]+(\.[a-z_]+)+$/.test(text)
}

const sameWords: ReadonlySet<string> = new Set([
  'Audit',
  'Element',
  'Merchant',
  'Merchant id',
  'OK',
  'PCI DSS',
  'React',
  'SMS',
  'ms',
  'server',
  'soʻm',
  'webhook-id',
])

test('every status of a receipt has a label in every language', () => {
  for (const { statuses } of Object.values(receiptPageMessages)) for (const status of receiptStatuses) assert.ok(statuses[status], status)
})

test('an action or actor that is newer than the page is shown as it is', () => {
  const { actions, actors } = auditLabels.ru
  assert.deepEqual([labelOf(actions, 'card.created'), labelOf(actions, 'card.teleported')], ['Карта создана', 'card.teleported'])
  assert.deepEqual([labelOf(auditLabels.en.actors, 'operator'), labelOf(actors, 'robot')], ['the provider', 'robot'])
})

test('a step of a user names the user, by name or by masked phone, and any other step who did it', () => {
  const of = (actor: string, name: string, phone: string | null): string => actorLabel({ actor, name, phone }, auditLabels.en)
  assert.deepEqual(
    [
      of('user', 'Nodira', '99890*****01'),
      of('user', '', '99890*****01'),
      of('user', '', null),
      of('merchant', '', null),
      of('system', '', null),
    ],
    ['Nodira', '+99890*****01', 'a dashboard user', 'your page or server', 'the service'],
  )
})

test('an outcome is shown as a text, and an id or a scenario as it is', () => {
  for (const [outcome, text] of [
    ['wrong_code', 'неверный код'],
    ['name origins', 'название, адреса страниц'],
    ['http_502', 'HTTP 502'],
    ['error_-32400', 'ошибка -32400'],
    ['ahead 3600000 ms', 'на 3600 с вперёд'],
    ['card_expired create', 'card_expired create'],
    ['6745a1f0000a3f5c0d2e4b61', '6745a1f0000a3f5c0d2e4b61'],
    ['constructor', 'constructor'],
  ] as const)
    assert.equal(outcomeLabel(outcome, auditLabels.ru), text)
})

test('what an entry changed is shown with labels, and a value that is no code as it is', () => {
  const { ru } = auditLabels
  assert.deepEqual(
    ['role', 'origins', 'newer_than_the_page'].map((name) => changeLabel(name, ru)),
    ['роль', 'адреса страниц', 'newer_than_the_page'],
  )
  assert.deepEqual(
    [null, 'owner', 'https://shop.example', 'done'].map((value) => changeValue(value, ru)),
    ['—', 'владелец', 'https://shop.example', 'done'],
  )
})

test('every reason of a failed payment or code has a text', () => {
  for (const { all, code } of Object.values(reasonMessages)) {
    for (const { reason } of Object.values(errors)) assert.ok(all[reason], reason)
    assert.notEqual(code['system_error'], all['system_error'], 'a code that was not sent is no failed payment')
  }
})
