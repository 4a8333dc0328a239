import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The files that operators copy: rules, their unit tests, and the dashboard. */
export const monitoringFolder = join(import.meta.dirname, '../../../../monitoring')

export interface AlertRule {
  readonly name: string
  readonly expression: string
  readonly severity: string
  readonly summary: string
  /** The path of its page. */
  readonly runbook: string
}

/** The alerts that `prometheus-faults.peer.test.ts` makes fire, and end, in a real service. */
export const provokedByFaults: readonly string[] = [
  'TesseraAuditFault',
  'TesseraBreakerOpen',
  'TesseraCanaryFailing',
  'TesseraClockRefused',
  'TesseraJobFailing',
  'TesseraLimitsReached',
  'TesseraMemoryFull',
  'TesseraOverloaded',
  'TesseraPageReadingsLate',
  'TesseraReceiptsOverdue',
  'TesseraRequestLogDropped',
  'TesseraResealBehind',
  'TesseraRestarting',
  'TesseraSmsConnectionAway',
  'TesseraStoreFilling',
  'TesseraVersionsDiffer',
  'TesseraWebhooksLate',
  'TesseraWorkerEnded',
]

/** The alerts that `prometheus-stores.peer.test.ts` makes fire, and end, in a real service. */
export const provokedByStores: readonly string[] = ['TesseraLogLinesDropped', 'TesseraPrimaryRefused', 'TesseraStoreDamaged']

/** The alerts that `prometheus-runbooks.peer.test.ts` makes fire in a real service, and ends by what their pages say. */
export const provokedByRunbooks: readonly string[] = [
  'TesseraCardNumberInLog',
  'TesseraKeyNotReplaced',
  'TesseraPageChanged',
  'TesseraReceiptsFlagged',
  'TesseraRewrapUnfinished',
]

/** The alerts that `prometheus.peer.test.ts` makes fire, and end, in a real service. */
export const provokedByCalls: readonly string[] = [
  'TesseraBackupOld',
  'TesseraCallsFailing',
  'TesseraCallsSlow',
  'TesseraCertificateExpires',
  'TesseraCertificateRefused',
  'TesseraCheckpointsWaiting',
  'TesseraCommitsSlow',
  'TesseraDatabaseBusy',
  'TesseraDescriptorsLow',
  'TesseraDown',
  'TesseraEventLoopStalled',
  'TesseraInternalErrors',
  'TesseraKekDue',
  'TesseraNetworkSilent',
  'TesseraNotReady',
  'TesseraPartAway',
  'TesseraPaymentUnknown',
  'TesseraReceiptsOpenLong',
  'TesseraRowsRefused',
  'TesseraSignInFlood',
  'TesseraSmsNotAccepted',
  'TesseraSweepBehind',
  'TesseraTraceSpansDropped',
  'TesseraWebhookEndpointsDown',
]

/** The alerts that fire, and end, in a real service. */
export const provokedAlerts: readonly string[] = [...provokedByCalls, ...provokedByFaults, ...provokedByStores, ...provokedByRunbooks]

/** Reads the alerts of `tessera.rules.yml`, which promtool has found valid. */
export function readAlertRules(): AlertRule[] {
  const [, ...blocks] = readFileSync(join(monitoringFolder, 'tessera.rules.yml'), 'utf8').split('      - alert: ')
  return blocks.map((block) => ({
    name: block.split('\n')[0] ?? '',
    expression: readExpression(block),
    severity: readValue(block, 'severity'),
    summary: readValue(block, 'summary'),
    runbook: readValue(block, 'runbook'),
  }))
}

function readExpression(block: string): string {
  const [, folded] = /^ {8}expr: \|-\n((?: {10}.*\n)+)/m.exec(block) ?? []
  return folded === undefined ? readValue(block, 'expr') : folded.replaceAll(/^ {10}/gm, '').trimEnd()
}

function readValue(block: string, name: string): string {
  const [, text = ''] = new RegExp(`^ +${name}: (.*)$`, 'm').exec(block) ?? []
  const [quote] = text
  if (quote === "'") return text.slice(1, -1).replaceAll("''", "'")
  return quote === '"' ? (JSON.parse(text) as string) : text
}

export interface DashboardPanel {
  readonly title: string
  readonly queries: readonly string[]
}

/** The panels of the Grafana dashboard, without its rows. */
export function readDashboardPanels(): DashboardPanel[] {
  const { panels } = JSON.parse(readFileSync(join(monitoringFolder, 'grafana.json'), 'utf8')) as {
    panels: { type: string; title: string; targets?: { expr: string }[] }[]
  }
  return panels.filter(({ type }) => type !== 'row').map(({ title, targets = [] }) => ({ title, queries: targets.map(({ expr }) => expr) }))
}
