import type { Result } from '@tessera/contract/operations'

import { printFields, type Command, type CommandInput } from './command.ts'
import { callOperator, callService, longReplyTimeoutMs } from './control-client.ts'
import { printFinding } from './print-finding.ts'

export const storeCheckCommand: Command = {
  name: 'store check',
  summary: 'Checks the whole store: files and indexes, keys against rows, audit chains, row MACs, and rows without their parents.',
  details:
    'A running service does it while it serves; Ctrl-C cancels it there too. When none runs on the data folder, the command opens database and key store itself,\n' +
    'for reading only: use it on a copy or a restored backup. Where custodians hold the KEK it waits for them. Exit code 1 when it finds anything, 65 when the database cannot be opened.',
  async run(input) {
    const data = await checkStore(input)
    const found = data.findings.map(printFinding)
    const text = [
      printFields({
        files: printIntegrity(data.integrity),
        keys: `${String(data.keys)} named by rows`,
        audit: `${String(data.entries)} entries, chains: ${String(data.chains)}`,
        rows: `${String(data.rows)} with a MAC`,
        parents: `${String(data.relations)} relations`,
      }),
      '',
      ...(found.length === 0 ? ['No findings.'] : found),
      ...(data.more ? ['There are more findings; fix these first.'] : []),
    ].join('\n')
    return { exit: found.length === 0 ? 'done' : 'findings', data, text }
  },
}

/** What counting leaves out is said: it looks at no index but the primary keys. */
function printIntegrity({ checked, method }: Result<'operator.store.check'>['integrity']): string {
  const what = `${String(checked)} tables or indexes, by ${method}`
  if (method !== 'counts') return what
  return `${what} alone: rows in the tables and in their primary keys. To check all indexes, as a superuser: CREATE EXTENSION amcheck; and grant its functions`
}

async function checkStore(input: CommandInput): Promise<Result<'operator.store.check'>> {
  const { config } = input.settings()
  const isServed = (await callOperator(config.dataFolder, 'operator.status.get', {}).catch(() => null)) !== null
  if (isServed) return callService(input, 'operator.store.check', {}, longReplyTimeoutMs)
  // Loads the whole service, which other commands do not need.
  return (await import('./check-stopped-store.ts')).checkStoppedStore(input)
}
