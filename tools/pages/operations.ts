import type { OperationContract } from '@tessera/contract/operations'
import { page, printedFrom, markdownTable } from './markdown.ts'

/** The page of all operations: who may call each, its rate limit and whether it changes data. */
export function printOperationsPage(operations: readonly OperationContract[]): string {
  return page(
    '# Operations',
    printedFrom('contract/src/operations/'),
    intro,
    '## API',
    'Called by merchants at `/api`. Each has [a page](methods/README.md) with its params, result and errors.',
    markdownTable(
      ['operation', 'caller', 'limit', 'changes data', 'summary'],
      operations.filter(isPublic).map((each) => [`[${each.name}](methods/${each.name}.md)`, each.caller, ...commonCells(each)]),
    ),
    '## Dashboard',
    'Called by the pages of the dashboard. A user needs exactly this role, or `owner`; operations of role `read` are open to every role, and those of `visitor` need no session. With a *confirmation* the user has to have [confirmed who they are](../concepts/dashboard-sign-in.md#confirmation-step-up) in the last minutes.',
    markdownTable(
      ['operation', 'role', 'confirmation', 'limit', 'changes data', 'summary'],
      operations
        .filter((each) => each.caller === 'dashboard')
        .map((each) => [`\`${each.name}\``, each.role, confirmationCell(each), ...commonCells(each)]),
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
      ['operation', 'changes data', 'summary'],
      operations.map((each) => [`\`${each.name}\``, each.mutates ? 'yes' : 'no', each.summary]),
    ),
  ]
}

function isPublic({ caller }: OperationContract): boolean {
  return caller !== 'dashboard' && caller !== 'operator'
}

function confirmationCell(operation: OperationContract): string {
  if (!('confirmation' in operation)) return ''
  return operation.confirmation === 'always' ? 'yes' : 'with a second factor'
}

function commonCells({ limit, mutates, summary }: OperationContract): [string, string, string] {
  return [limit, mutates ? 'yes' : 'no', summary]
}

const intro = [
  'Every operation of the service. Its contract (`contract/src/operations/`) says who may call it, and nothing repeats that. Its implementation',
  'is in `service/src/operations/`: a file of the same name, for the dashboard a file per page, for the operator a file per subject.',
  'Callers: `browser` needs the merchant id alone, `server` the password as well, `serverInSpec` the password in the spec profile only,',
  '`nobody` no X-Auth. `limit` is the class of rate limit in which a call counts ([settings](settings.md)).',
].join('\n')
