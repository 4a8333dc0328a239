import Type from 'typebox'

import { defineOperation, operationsByName } from './operation.ts'
import { done } from './dashboard-session.ts'

const timestamp = Type.Integer({ description: 'Unix milliseconds.' })
const locale = Type.Union([Type.Literal('uz'), Type.Literal('ru'), Type.Literal('en')])
const page = Type.String({ maxLength: 2048, description: 'The address of the page without its query; `pasted` for pasted source.' })
const orNull = <T extends ReturnType<typeof Type.String> | ReturnType<typeof Type.Integer>>(shape: T) => Type.Union([shape, Type.Null()])

const finding = Type.Object({
  rule: Type.String({ description: 'As in the guide to form-check.' }),
  line: orNull(Type.Integer()),
  column: orNull(Type.Integer()),
  shown: Type.String({ description: 'The text found there, without passwords and card numbers.' }),
})

const rule = Type.Object({
  rule: Type.String(),
  severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
  text: Type.String(),
  advice: Type.String(),
  source: Type.String(),
})

const report = Type.Object({
  page,
  checkedAt: timestamp,
  findings: Type.Array(finding, { description: 'In the order of the rules; 200 at most.' }),
  rules: Type.Array(rule, { description: 'The violated rules, errors first, in the requested language.' }),
  scripts: Type.Integer(),
  isTruncated: Type.Boolean({ description: 'There were more findings than are stored.' }),
  sarif: Type.String({ description: 'The same as SARIF 2.1.0.' }),
})

const watch = Type.Object(
  {
    state: Type.Union([
      Type.Literal('new'),
      Type.Literal('unchanged'),
      Type.Literal('changed', { description: 'Until somebody checks the page.' }),
      Type.Literal('unreadable'),
      Type.Literal('tampered', { description: 'Its row was changed outside the service; a check of the page writes it anew.' }),
    ]),
    readAt: orNull(timestamp),
    changedAt: orNull(timestamp),
    changes: Type.Array(
      Type.Object({
        what: Type.Union([Type.Literal('script'), Type.Literal('header'), Type.Literal('rule'), Type.Literal('page')]),
        change: Type.Union([Type.Literal('added'), Type.Literal('removed'), Type.Literal('changed'), Type.Literal('unreadable')]),
        name: Type.String(),
      }),
      {
        description: 'As in the event `page.changed`; 50 at most.',
      },
    ),
  },
  { description: 'What reading the page again by the schedule found.' },
)

const script = Type.Object({
  scriptId: Type.String(),
  page,
  address: Type.String({ description: 'Or `inline` with its hash.' }),
  fingerprint: Type.String({ description: 'Its hash, or the integrity that the page demands; `` where neither is known.' }),
  integrity: Type.String(),
  party: Type.Union([Type.Literal('first'), Type.Literal('third')]),
  firstAt: timestamp,
  lastAt: timestamp,
  isGone: Type.Boolean({ description: 'The last check of its page no longer found it.' }),
  decision: Type.Union([Type.Literal('open'), Type.Literal('authorised'), Type.Literal('refused')]),
  isChanged: Type.Boolean({
    description: 'It has changed since it was reviewed, or its stored review was changed outside the service: then `decision` is open.',
  }),
  reason: Type.String(),
  reviewedBy: orNull(Type.String({ description: 'The phone of the user, masked.' })),
  reviewedAt: orNull(timestamp),
})

export const dashboardPageCheckRunContract = defineOperation('dashboard.pageCheck.run', {
  summary:
    'Checks the source of one of the merchant’s pages against the rules for card forms: fetched from a registered origin, or pasted.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: Type.Object({
    url: Type.Optional(Type.String({ maxLength: 2048 })),
    html: Type.Optional(Type.String({ minLength: 1, maxLength: 60_000 })),
    locale,
  }),
  result: report,
  errors: ['pageNotChecked', 'overloaded'],
})

export const dashboardPageCheckListContract = defineOperation('dashboard.pageCheck.list', {
  summary: 'Lists the last check of each page, newest first.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({}),
  result: Type.Object({
    checks: Type.Array(
      Type.Object({
        page,
        checkedAt: timestamp,
        errors: Type.Integer(),
        warnings: Type.Integer(),
        watch: Type.Union([watch, Type.Null()], {
          description: 'Null for one that is not read again: pasted source, and where somebody has stopped it.',
        }),
      }),
    ),
  }),
  errors: [],
})

export const dashboardPageCheckGetContract = defineOperation('dashboard.pageCheck.get', {
  summary: 'Returns the last check of one page; null when there is none.',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({ page, locale }),
  result: Type.Object({ report: Type.Union([report, Type.Null()]) }),
  errors: [],
})

export const dashboardPageCheckStopWatchingContract = defineOperation('dashboard.pageCheck.stopWatching', {
  summary:
    'Stops reading a page again by the schedule, until it is checked by its address the next time. Its last check and its scripts stay.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: Type.Object({ page }),
  result: done,
  errors: ['memberInvalid', 'overloaded'],
})

export const dashboardScriptsListContract = defineOperation('dashboard.scripts.list', {
  summary: 'Lists the scripts that checks found on the merchant’s pages, with who authorized each and why (PCI DSS 6.4.3).',
  caller: 'dashboard',
  role: 'read',
  mutates: false,
  limit: 'read',
  params: Type.Object({}),
  result: Type.Object({ scripts: Type.Array(script) }),
  errors: [],
})

export const dashboardScriptsReviewContract = defineOperation('dashboard.scripts.review', {
  summary: 'Authorizes or refuses a script, with a reason, in the version that the user has seen.',
  caller: 'dashboard',
  role: 'developer',
  mutates: true,
  limit: 'write',
  params: Type.Object({
    scriptId: Type.String({ pattern: '^[0-9a-f]{24}$' }),
    fingerprint: Type.String({ maxLength: 1024 }),
    decision: Type.Union([Type.Literal('authorised'), Type.Literal('refused')]),
    reason: Type.String({ minLength: 3, maxLength: 500 }),
  }),
  result: done,
  errors: ['scriptChanged', 'overloaded'],
})

export const dashboardPageCheckOperations = operationsByName(
  dashboardPageCheckRunContract,
  dashboardPageCheckListContract,
  dashboardPageCheckGetContract,
  dashboardPageCheckStopWatchingContract,
  dashboardScriptsListContract,
  dashboardScriptsReviewContract,
)
