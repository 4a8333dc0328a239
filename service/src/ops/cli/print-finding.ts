import type { Result } from '@tessera/contract/operations'

/** A finding of `audit verify` or `store check` as a line. */
export function printFinding(finding: Result<'operator.store.check'>['findings'][number]): string {
  if (finding.kind === 'chain')
    return `${finding.chain === '' ? '' : `chain ${finding.chain}, entry ${String(finding.seq)}: `}${finding.what}`
  const { kind, table, id, merchantId, what } = finding
  const of = merchantId === '' || kind === 'merchant' ? '' : ` of merchant ${merchantId}`
  if (kind === 'integrity') return `${table === '' ? 'database' : table}: ${what}`
  if (kind === 'request_log') return `request log${table === '' ? '' : `, ${table}`}: ${what}`
  if (kind === 'key') return `key ${id} in ${table}: ${what}`
  return `${kind === 'row' || kind === 'orphan' ? table : kind} ${id}${of}: ${what}`
}
