import type { Result } from '@tessera/contract/operations'

import { effectiveSettings } from '../config/help.ts'
import { tesseraVersion } from '../version.ts'

import { printFields, printTable, type Command } from './command.ts'
import { callService, longReplyTimeoutMs } from './control-client.ts'

export const statusCommand: Command = {
  name: 'status',
  summary: 'Shows whether a service runs on the data folder, and its state.',
  async run(input) {
    const data = await callService(input, 'operator.status.get', {})
    return { exit: 'done', data, text: printFields({ ...data }) }
  },
}

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'Recomputes the audit chains and compares every sealed card, receipt and merchant with them.',
  details:
    'Finds entries that were changed, removed from the middle or reordered, and rows that were changed or restored to an older version. Exit code 1 when it finds any.',
  async run(input) {
    const data = await callService(input, 'operator.audit.verify', {}, longReplyTimeoutMs)
    const text = [
      `${String(data.entries)} entries in ${String(data.chains)} chains, ${String(data.cards)} sealed cards, ${String(data.receipts)} receipts, ${String(data.merchants)} merchants.`,
      ...(data.findings.length === 0 ? ['No findings.'] : data.findings.map(printFinding)),
      ...(data.more ? ['There are more findings; fix these first.'] : []),
    ].join('\n')
    return { exit: data.findings.length === 0 ? 'done' : 'findings', data, text }
  },
}

function printFinding(finding: Result<'operator.audit.verify'>['findings'][number]): string {
  return finding.kind === 'chain'
    ? `chain ${finding.chain}, entry ${String(finding.seq)}: ${finding.what}`
    : `${finding.kind} ${finding.id}${finding.kind === 'merchant' ? '' : ` of merchant ${finding.merchantId}`}: ${finding.what}`
}

export const settingsCommand: Command = {
  name: 'settings',
  summary: 'Prints the effective value of every setting, and where it comes from.',
  details: 'Secrets are not shown. A running service may have been started with other settings.',
  run(input) {
    const data = effectiveSettings(input.settings())
    const rows = data.map(({ name, value, from, env }) => [
      name,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
      from,
      env,
    ])
    return Promise.resolve({ exit: 'done', data, text: printTable(['setting', 'value', 'from', 'environment variable'], rows) })
  },
}

export const versionCommand: Command = {
  name: 'version',
  summary: 'Prints the version of Tessera and of Node.',
  options: [{ name: 'version', meaning: 'Same as the command version.' }],
  ignoresSettings: true,
  run() {
    const data = { tessera: tesseraVersion, node: process.versions.node }
    return Promise.resolve({ exit: 'done', data, text: `Tessera ${data.tessera} on Node ${data.node}` })
  },
}
