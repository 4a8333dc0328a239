import pg from 'pg'
import type { Row, Value } from '../statement.ts'
import type { TransactionStep as Step, Transaction } from '../transaction.ts'

/** The plan of one statement of a transaction. */
export interface StatementPlan {
  readonly text: string
  readonly scans: readonly Scan[]
  /** How many steps of the plan sort rows. */
  readonly sorts: number
}

/** A step of a plan that reads rows. */
export interface Scan {
  /** `Index Scan`, `Bitmap Index Scan`, `Seq Scan` and the like. */
  readonly kind: string
  /** Its index, or its table where it has none. */
  readonly of: string
  /** Over all loops, including rows that were read and filtered out. */
  readonly rowsRead: number
}

/** PostgreSQL plans a prepared statement for its values at first, and may later use a plan for any values. */
export const planModes = ['force_custom_plan', 'force_generic_plan'] as const

/** Runs a transaction on its real rows as the store would, returns the plan of each of its statements, and rolls back. */
export async function explainTransaction(
  url: string,
  mode: (typeof planModes)[number],
  transaction: Transaction<unknown>,
): Promise<StatementPlan[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, query_timeout: 20_000, types: { getTypeParser } })
  await client.connect()
  try {
    await client.query(`set plan_cache_mode = ${mode}`)
    await client.query('begin')
    return await drive(client, transaction)
  } finally {
    await client.end()
  }
}

async function drive(client: pg.Client, transaction: Transaction<unknown>): Promise<StatementPlan[]> {
  const explained: StatementPlan[] = []
  for (let step = transaction.next(); step.done !== true;) {
    const { rows, plans } =
      step.value.kind === 'run' ? await explainStatement(client, step.value, explained.length) : { rows: [], plans: [] }
    explained.push(...plans)
    step = transaction.next(rows)
  }
  return explained
}

/** `explain analyze` returns the plan but no rows, so the statement runs twice, rolled back in between. */
async function explainStatement(client: pg.Client, { statement, values }: Step & { kind: 'run' }, number: number) {
  const call = `execute explained_${String(number)}${values.length === 0 ? '' : `(${values.map(literal).join(', ')})`}`
  await client.query(`prepare explained_${String(number)} as ${statement.text}; savepoint before`)
  const plan = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, timing off, format json) ${call}`)
  await client.query('rollback to before')
  const { rows } = await client.query<Row>(call)
  return { rows, plans: plan.rows.map((row) => toStatementPlan(statement.text, row['QUERY PLAN'][0].Plan)) }
}

function toStatementPlan(text: string, plan: PlanNode): StatementPlan {
  return { text, scans: listScans(plan), sorts: countSorts(plan) }
}

function countSorts(node: PlanNode): number {
  return (node.Plans ?? []).reduce((sum, each) => sum + countSorts(each), Number(/Sort$/.test(node['Node Type'])))
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Index Name'?: string
  readonly 'Relation Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly Plans?: readonly PlanNode[]
}

/** A bitmap scan is counted at its index. */
function listScans(node: PlanNode): Scan[] {
  const kind = node['Node Type']
  const of = node['Index Name'] ?? node['Relation Name']
  const below = (node.Plans ?? []).flatMap(listScans)
  if (of === undefined || !kind.endsWith('Scan') || kind === 'Bitmap Heap Scan') return below
  const rowsRead = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
  return [{ kind, of, rowsRead }, ...below]
}

function literal(value: Value): string {
  if (value === null) return 'null'
  return typeof value === 'number' ? String(value) : typeof value === 'string' ? `'${value}'` : `'\\x${Buffer.from(value).toString('hex')}'`
}

const getTypeParser: pg.CustomTypesConfig['getTypeParser'] = (oid, format) =>
  oid === pg.types.builtins.INT8 ? Number : (pg.types.getTypeParser(oid, format) as unknown)
