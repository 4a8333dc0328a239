import { ask } from './ask.ts'
import type { AuditFinding, AuditReport } from '../audit/check.ts'
import type { Command } from './command.ts'
import { longReplySilenceMs } from './control-wire.ts'

export const auditVerify: Command = {
  name: 'audit verify',
  summary: 'Recomputes the audit chains and holds every sealed card, receipt and merchant against them.',
  about:
    'Finds entries that were changed, removed from the middle or reordered, and rows that were changed or put back to an older version. Exit code 1 when it finds any.',
  async run(asked) {
    const facts = (await ask(asked, { ask: 'audit.verify' }, longReplySilenceMs)) as AuditReport
    const text = [
      `${String(facts.entries)} entries in ${String(facts.chains)} chains, ${String(facts.cards)} sealed cards, ${String(facts.receipts)} receipts, ${String(facts.merchants)} merchants.`,
      ...(facts.findings.length === 0 ? ['Nothing found.'] : facts.findings.map(printFinding)),
      ...(facts.more ? ['There is more; mend these first.'] : []),
    ].join('\n')
    return { exit: facts.findings.length === 0 ? 'done' : 'found', facts, text }
  },
}

function printFinding(finding: AuditFinding): string {
  return finding.kind === 'chain'
    ? `chain ${finding.chain}, entry ${String(finding.seq)}: ${finding.what}`
    : `${finding.kind} ${finding.id}${finding.kind === 'merchant' ? '' : ` of merchant ${finding.merchantId}`}: ${finding.what}`
}
