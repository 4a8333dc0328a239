import type { OperatorResult } from '@tessera/contract/operations'

import { effectiveSettings } from '../config/help.ts'
import { tesseraVersion } from '../version.ts'

import { printFacts, printTable, type Command } from './command.ts'
import { callService, longReplyTimeoutMs } from './control-client.ts'

export const statusCommand: Command = {
  name: 'status',
  summary: 'Shows whether a service runs on the data folder, and its state.',
  async run(input) {
    const facts = await callService(input, 'operator.status.get', {})
    return { exit: 'done', facts, text: printFacts({ ...facts }) }
  },
}

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'Recomputes the audit chains and checks every sealed card, receipt and merchant against them.',
  about:
    'Finds entries that were changed, removed from the middle or reordered, and rows that were changed or restored to an older version. Exit code 1 when it finds any.',
  async run(input) {
    const facts = await callService(input, 'operator.audit.verify', {}, longReplyTimeoutMs)
    const text = [
      `${String(facts.entries)} entries in ${String(facts.chains)} chains, ${String(facts.cards)} sealed cards, ${String(facts.receipts)} receipts, ${String(facts.merchants)} merchants.`,
      ...(facts.findings.length === 0 ? ['Nothing found.'] : facts.findings.map(printFinding)),
      ...(facts.more ? ['There is more; fix these first.'] : []),
    ].join('\n')
    return { exit: facts.findings.length === 0 ? 'done' : 'found', facts, text }
  },
}

function printFinding(finding: OperatorResult<'operator.audit.verify'>['findings'][number]): string {
  return finding.kind === 'chain'
    ? `chain ${finding.chain}, entry ${String(finding.seq)}: ${finding.what}`
    : `${finding.kind} ${finding.id}${finding.kind === 'merchant' ? '' : ` of merchant ${finding.merchantId}`}: ${finding.what}`
}

export const settingsCommand: Command = {
  name: 'settings',
  summary: 'Prints the effective value of every setting, and where it comes from.',
  about: 'Secrets are not shown. A running service may have been started with other settings.',
  run(input) {
    const facts = effectiveSettings(input.settings())
    const rows = facts.map(({ name, value, from, env }) => [
      name,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
      from,
      env,
    ])
    return Promise.resolve({ exit: 'done', facts, text: printTable(['setting', 'value', 'from', 'environment variable'], rows) })
  },
}

export const versionCommand: Command = {
  name: 'version',
  summary: 'Prints the version of Tessera and of Node.',
  options: [{ name: 'version', meaning: 'Same as the command version.' }],
  readsNoSettings: true,
  run() {
    const facts = { tessera: tesseraVersion, node: process.versions.node }
    return Promise.resolve({ exit: 'done', facts, text: `Tessera ${facts.tessera} on Node ${facts.node}` })
  },
}
