import type { OperationContract } from '@tessera/contract/operations'
import { page, printedFrom, markdownTable } from './markdown.ts'

/** The page of all operations: who may call each, how it is limited and whether it changes anything. */
export function printOperationsPage(operations: readonly OperationContract[]): string {
  return page(
    '# Operations',
    printedFrom('contract/src/operations/'),
    intro,
    '## API',
    'Called by merchants at `/api`. Each has [a page](methods/README.md) with its params, result and errors.',
    markdownTable(
      ['operation', 'caller', 'limit', 'changes', 'summary'],
      operations.filter(isPublic).map((each) => [`[${each.name}](methods/${each.name}.md)`, each.caller, ...commonCells(each)]),
    ),
    '## Dashboard',
    'Called by the pages of the dashboard with the session of a user. The role is the least that the user has to have.',
    markdownTable(
      ['operation', 'role', 'limit', 'changes', 'summary'],
      operations.filter((each) => each.caller === 'dashboard').map((each) => [`\`${each.name}\``, each.role, ...commonCells(each)]),
    ),
    ...printOperatorTable(operations.filter((each) => each.caller === 'operator')),
  )
}

function printOperatorTable(operations: readonly OperationContract[]): string[] {
  if (operations.length === 0) return []
  return [
    '## Operator',
    'Called by the command line over the control socket, which only the user of the service can open.',
    markdownTable(
      ['operation', 'changes', 'summary'],
      operations.map((each) => [`\`${each.name}\``, each.mutates ? 'yes' : 'no', each.summary]),
    ),
  ]
}

function isPublic({ caller }: OperationContract): boolean {
  return caller !== 'dashboard' && caller !== 'operator'
}

function commonCells({ limit, mutates, summary }: OperationContract): [string, string, string] {
  return [limit, mutates ? 'yes' : 'no', summary]
}

const intro = [
  'Every operation of the service. Its contract (`contract/src/operations/`) is the only place that says who may call it; what it does is in',
  '`service/src/operations/`, in the file of the same name, or in the file of its page for the dashboard.',
  'Callers: `browser` needs the merchant id alone, `server` the password as well, `serverInSpec` the password in the spec profile only,',
  '`nobody` no X-Auth. `limit` names the rate limit that a call counts in ([settings](settings.md)).',
].join('\n')
