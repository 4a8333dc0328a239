import { errors, type ErrorEntry, type ErrorName, type Stage } from '@tessera/contract/errors'
import { formReasons } from '@tessera/contract/form-reasons'
import { operations, publicOperations } from '@tessera/contract/operations'
import { cardholderReasons, describeReason } from '../../browser/frame/deferred/reasons.ts'
import { page, printedFrom, markdownTable } from './markdown.ts'

/** Prints the page of the card form's reasons, each with an anchor. */
export function printFormReasonsPage(reasons: Readonly<Record<string, string>>): string {
  return page(
    '# Reasons of the card form',
    printedFrom('contract/src/form-reasons.ts'),
    `The reasons of the form's \`error\` event, in addition to those of the wire, which have [their own page](errors.md). The member \`docs\` of an
error is the address of the same text on the form's own origin: \`<form origin>/form/reasons#<reason>\`. A mistake in the page itself is
thrown at once, as a \`CardFormMisuse\` with the same members.`,
    markdownTable(
      ['reason', 'what to do'],
      Object.entries(reasons).map(([reason, hint]) => [`<a id="${reason}"></a>\`${reason}\``, hint]),
    ),
  )
}

/** Prints the type of `reason`: what the form itself reports, and every error of a call that it makes. */
export function printReasonType(): string {
  const reasons = [...listOwnReasons(), ...listCallErrors().map(({ reason }) => reason)]
  const lines = [...new Set(reasons)].map((reason) => `  | '${reason}'`)
  return `// Printed from contract/src/errors.ts and contract/src/form-reasons.ts by \`npm run docs\`.

/** Why something failed. Another version of the service may know further reasons: give a \`switch\` a \`default\`. */
export type CardFormReason =
${lines.join('\n')}
`
}

/** Prints the tables of errors in the guide of the card form: what the cardholder can do, what your page can do, and what passes. */
export function printReasonTables(): string {
  const toCardholder = new Set(cardholderReasons())
  const own = listOwnReasons().map((reason) => ({
    reason,
    owner: 'developer',
    hint: formReasons[reason],
    from: 'form-reasons.md',
  }))
  const called = listCallErrors()
    .filter(({ stage }) => !neverCaused.includes(stage))
    .map(({ reason, owner, hint }) => ({ reason, owner, hint, from: 'errors.md' }))
  const rows = [...own, ...called.filter(({ reason }) => !Object.hasOwn(formReasons, reason))]
  const table = (chosen: typeof rows): string =>
    markdownTable(
      ['reason', 'field', 'retryable', 'what to do'],
      chosen.map(({ reason, hint, from }) => {
        const { field, isRetryable } = describeReason(reason)
        return [`[\`${reason}\`](../reference/${from}#${reason})`, field ?? '', isRetryable ? 'yes' : '', hint]
      }),
    )
  const isForCardholder = ({ reason }: { readonly reason: string }): boolean => toCardholder.has(reason)
  const others = rows.filter((row) => !isForCardholder(row))
  return [
    '**The cardholder can do something.** The form says so at the field or above its button; your page needs to do nothing.',
    table(rows.filter(isForCardholder)),
    '**Your page, your server or your settings.** The form tells the cardholder that the shop has a problem.',
    table(others.filter(({ owner }) => owner === 'developer' || owner === 'cardholder')),
    '**Time, or the provider of the service.**',
    table(others.filter(({ owner }) => owner === 'wait' || owner === 'operator')),
  ].join('\n\n')
}

/** Stages of a request whose errors the form does not cause: it sends what the service accepts. */
const neverCaused: readonly Stage[] = ['transport', 'parse', 'request', 'method', 'params', 'idempotency']

type FormOwnReason = Exclude<keyof typeof formReasons, 'theme_contrast'>

/** A theme with too little contrast is a `warning`. */
function listOwnReasons(): FormOwnReason[] {
  return (Object.keys(formReasons) as (keyof typeof formReasons)[]).filter((reason) => reason !== 'theme_contrast')
}

/** The errors of the methods that a browser may call, and those of every call. */
function listCallErrors(): ErrorEntry[] {
  const ofOperations = new Set(Object.values(operations).flatMap((operation): readonly ErrorName[] => operation.errors))
  const ofBrowser = new Set(
    Object.values(publicOperations)
      .filter(({ caller }) => caller === 'browser')
      .flatMap((operation): readonly ErrorName[] => operation.errors),
  )
  const names = (Object.keys(errors) as ErrorName[]).filter((name) => ofBrowser.has(name) || !ofOperations.has(name))
  return names.map((name): ErrorEntry => errors[name]).filter(({ reason }) => !dashboardReasons.includes(reason))
}

/** Errors of every call of the dashboard, which signs in with a session. */
const dashboardReasons = ['not_from_dashboard', 'signed_out', 'password_must_change', 'second_factor_required']
