import {
  countServiceConnections,
  distributeTables,
  type Distribution,
  DistributionRefused,
  planDistribution,
} from '../../store/postgres/distribute.ts'
import type { Session } from '../../store/postgres/session.ts'
import { listPlacedTables } from '../../store/postgres/table-placement.ts'
import { ExitError } from '../exits.ts'
import type { CommandInput, CommandOutcome } from './command.ts'

/** `tessera migrate --distribute`: the tables of the cards on the nodes of Citus. */
export async function runDistribute(input: CommandInput, session: Session): Promise<CommandOutcome> {
  try {
    return await distribute(input, session)
  } catch (err) {
    if (err instanceof DistributionRefused) throw new ExitError('invalidSettings', err.message, { advice: err.advice })
    throw err
  }
}

async function distribute(input: CommandInput, session: Session): Promise<CommandOutcome> {
  const distribution = await planDistribution(session)
  const data = { ...distribution, local: listPlacedTables('local') }
  if (distribution.pending.length === 0)
    return { exit: 'done', data, text: `Citus ${distribution.citusVersion}: every table is where it belongs.` }
  if (!input.options.has('yes')) return { exit: 'done', data, text: describe(distribution) }
  const open = await countServiceConnections(session)
  if (open > 0) {
    const advice = 'Writes to a table fail while its rows are copied to the nodes. Stop the services, and repeat this.'
    throw new ExitError('usage', `${String(open)} connections of services to this database are open.`, { advice })
  }
  const startedAt = performance.now()
  try {
    const count = await distributeTables(session, (done, total) => {
      input.progress.show({ stage: 'tables distributed', done, total, seconds: (performance.now() - startedAt) / 1000 })
    })
    return { exit: 'done', data, text: `${String(count)} statements are done on Citus ${distribution.citusVersion}. Start the services.` }
  } finally {
    input.progress.end()
  }
}

function describe({ citusVersion, pending }: Distribution): string {
  return [
    `-- Citus ${citusVersion}. Each statement is a transaction of its own.`,
    ...pending.map(({ statement }) => `${statement};`),
    `-- With the coordinator stay: ${listPlacedTables('local').join(', ')}`,
    '-- Nothing was changed. With the services stopped: --yes',
  ].join('\n')
}
