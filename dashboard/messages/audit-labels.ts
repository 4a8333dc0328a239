import {
  auditActions,
  auditChangeNames,
  auditOutcomes,
  auditReasons,
  type AuditAction,
  type AuditChangeName,
  type AuditOutcome,
} from '@tessera/contract/audit'
import type { Language } from '@tessera/contract/profile'
import type { RefundReason } from '@tessera/contract/receipt-status'

import { formatMessage, knownLabel, labelOf } from './lookup.ts'

/** The texts of audit entries, in the audit and in the histories of cards and receipts. */
export interface AuditLabels {
  readonly actions: Readonly<Record<AuditAction, string>>
  readonly actors: Readonly<Record<'merchant' | 'user' | 'visitor' | 'cardholder' | 'system' | 'operator', string>>
  readonly outcomes: Readonly<Record<AuditOutcome, string>>
  readonly changes: Readonly<Record<AuditChangeName, string>>
  readonly reasons: Readonly<Record<RefundReason, string>>
  /** Of `receipt.cancelled`, by what was returned to the cardholder: when it was requested, and when the network confirmed it. */
  readonly returns: Readonly<Record<ReturnKind, { readonly requested: string; readonly done: string }>>
  /** Of a moved clock, seconds. */
  readonly clockAhead: string
  /** Of the merchant's endpoint, its error code. */
  readonly endpointError: string
}

/** An entry in a history or in the audit. */
interface LabelledEntry {
  readonly what: string
  readonly outcome: string
  readonly actor: string
}

/** Who did a step: of a user the name, or the masked phone of one without a name. */
export function actorLabel(
  { actor, name, phone }: { readonly actor: string; readonly name: string; readonly phone: string | null },
  { actors }: AuditLabels,
): string {
  if (actor !== 'user' || phone === null) return labelOf(actors, actor)
  return name === '' ? `+${phone}` : name
}

type ReturnKind = Extract<AuditOutcome, 'refund' | 'cancel_hold' | 'reverse'>

/** The action of an audit entry. `receipt.cancelled` is a refund, a void or a reversal where its outcome says so; the service itself records that it is done. */
export function actionLabel({ what, outcome, actor }: LabelledEntry, { actions, returns }: AuditLabels): string {
  if (!isOutcomeInAction({ what, outcome })) return labelOf(actions, what)
  const { requested, done } = returns[outcome as ReturnKind]
  return actor === 'system' ? done : requested
}

/** Whether the label of the action says the outcome. */
export function isOutcomeInAction({ what, outcome }: Pick<LabelledEntry, 'what' | 'outcome'>): boolean {
  return what === 'receipt.cancelled' && /^(refund|cancel_hold|reverse)$/.test(outcome)
}

/** The outcome of an audit entry: a label, the labels of the changed settings, or as it is where it is an id or unknown to this page. */
export function outcomeLabel(outcome: string, { outcomes, clockAhead, endpointError }: AuditLabels): string {
  const [, aheadMs] = /^ahead (\d+) ms$/.exec(outcome) ?? []
  if (aheadMs !== undefined) return formatMessage(clockAhead, Number(aheadMs) / 1000)
  const [, status] = /^http_(\d+)$/.exec(outcome) ?? []
  if (status !== undefined) return `HTTP ${status}`
  const [, code] = /^error_(-?\d+)$/.exec(outcome) ?? []
  if (code !== undefined) return formatMessage(endpointError, code)
  const labels = outcome.split(' ').map((name) => knownLabel(outcomes, name))
  return labels.every((label) => label !== undefined) ? labels.join(', ') : outcome
}

/** The name of what an entry changed: of a user, of a webhook, or a setting of the merchant. */
export function changeLabel(name: string, { changes, outcomes }: AuditLabels): string {
  return knownLabel(changes, name) ?? knownLabel(outcomes, name) ?? name
}

/** A value of a change: the label of a role, a state, a switch or a reason; anything else as it is. */
export function changeValue(value: string | null, { outcomes, reasons }: AuditLabels): string {
  if (value === null) return '—'
  const reason = knownLabel(reasons, value)
  if (reason !== undefined) return reason
  return /^(owner|developer|support|read|on|off|active|blocked)$/.test(value) ? labelOf(outcomes, value) : value
}

/** The labels of actions and outcomes are beside their names in the contract. */
export const auditLabels: Readonly<Record<Language, AuditLabels>> = {
  en: /* @__PURE__ */ withContractLabels('en', {
    actors: {
      merchant: 'your page or server',
      user: 'a dashboard user',
      visitor: 'not signed in',
      cardholder: 'the cardholder, in the form',
      system: 'the service',
      operator: 'the provider',
    },
    returns: {
      refund: { requested: 'Refund requested', done: 'Refunded' },
      cancel_hold: { requested: 'Void requested', done: 'Voided' },
      reverse: { requested: 'Reversal requested', done: 'Reversed' },
    },
    clockAhead: '{0} s ahead',
    endpointError: 'error {0}',
  }),
  ru: /* @__PURE__ */ withContractLabels('ru', {
    actors: {
      merchant: 'ваша страница или сервер',
      user: 'пользователь кабинета',
      visitor: 'без входа в кабинет',
      cardholder: 'держатель карты, в форме',
      system: 'сервис',
      operator: 'провайдер',
    },
    returns: {
      refund: { requested: 'Запрошен возврат', done: 'Возвращено' },
      cancel_hold: { requested: 'Запрошено снятие холда', done: 'Холд снят' },
      reverse: { requested: 'Запрошена отмена операции', done: 'Операция отменена' },
    },
    clockAhead: 'на {0} с вперёд',
    endpointError: 'ошибка {0}',
  }),
  uz: /* @__PURE__ */ withContractLabels('uz', {
    actors: {
      merchant: 'sahifangiz yoki serveringiz',
      user: 'kabinet foydalanuvchisi',
      visitor: 'kabinetga kirmagan shaxs',
      cardholder: 'karta egasi, formada',
      system: 'xizmat',
      operator: 'provayder',
    },
    returns: {
      refund: { requested: 'Qaytarish soʻraldi', done: 'Qaytarildi' },
      cancel_hold: { requested: 'Xoldni bekor qilish soʻraldi', done: 'Xold bekor qilindi' },
      reverse: { requested: 'Amalni bekor qilish soʻraldi', done: 'Amal bekor qilindi' },
    },
    clockAhead: '{0} s oldinda',
    endpointError: 'xato {0}',
  }),
}

function withContractLabels(language: Language, others: Omit<AuditLabels, 'actions' | 'outcomes' | 'changes' | 'reasons'>): AuditLabels {
  const outcomes = labelsIn(auditOutcomes, language)
  const [changes, reasons] = [labelsIn(auditChangeNames, language), labelsIn(auditReasons, language)]
  return { actions: labelsIn(auditActions, language), outcomes, changes, reasons, ...others }
}

function labelsIn<Name extends string>(table: Readonly<Record<Name, Readonly<Record<Language, string>>>>, language: Language) {
  const labels = Object.entries<Readonly<Record<Language, string>>>(table).map(([name, label]) => [name, label[language]])
  return Object.fromEntries(labels) as Record<Name, string>
}
