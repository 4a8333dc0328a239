import pg from 'pg'
import type { Row, Value } from '../statement.ts'
import type { TransactionStep as Step, Transaction } from '../transaction.ts'

/** How PostgreSQL answered one statement of a unit. */
export interface Explained {
  readonly text: string
  readonly scans: readonly Scan[]
  /** How many steps of the plan put rows in order. */
  readonly sorts: number
}

/** One place of a plan where rows are read. */
export interface Scan {
  /** `Index Scan`, `Bitmap Index Scan`, `Seq Scan` and their kin. */
  readonly kind: string
  /** Its index, or its table where it has none. */
  readonly of: string
  /** Over all its turns, those included that were read and left out. */
  readonly rowsRead: number
}

/** A prepared statement is planned for its values first, and later perhaps for any. */
export const planModes = ['force_custom_plan', 'force_generic_plan'] as const

/** Runs a unit as the store would, on its real rows, tells how each of its statements was answered, and undoes it all. */
export async function explainUnit(url: string, mode: (typeof planModes)[number], unit: Transaction<unknown>): Promise<Explained[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, query_timeout: 20_000, types: { getTypeParser } })
  await client.connect()
  try {
    await client.query(`set plan_cache_mode = ${mode}`)
    await client.query('begin')
    return await drive(client, unit)
  } finally {
    await client.end()
  }
}

async function drive(client: pg.Client, unit: Transaction<unknown>): Promise<Explained[]> {
  const explained: Explained[] = []
  for (let step = unit.next(); step.done !== true;) {
    const { rows, told } = step.value.kind === 'run' ? await ask(client, step.value, explained.length) : { rows: [], told: [] }
    explained.push(...told)
    step = unit.next(rows)
  }
  return explained
}

/** A statement tells its plan or its rows: so it is run twice, and undone in between. */
async function ask(client: pg.Client, { statement, values }: Step & { kind: 'run' }, number: number) {
  const call = `execute asked_${String(number)}${values.length === 0 ? '' : `(${values.map(literal).join(', ')})`}`
  await client.query(`prepare asked_${String(number)} as ${statement.text}; savepoint before`)
  const plan = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(`explain (analyze, timing off, format json) ${call}`)
  await client.query('rollback to before')
  const { rows } = await client.query<Row>(call)
  return { rows, told: plan.rows.map((row) => explainedOf(statement.text, row['QUERY PLAN'][0].Plan)) }
}

function explainedOf(text: string, plan: PlanNode): Explained {
  return { text, scans: scansOf(plan), sorts: sortsOf(plan) }
}

function sortsOf(node: PlanNode): number {
  return (node.Plans ?? []).reduce((sum, each) => sum + sortsOf(each), Number(/Sort$/.test(node['Node Type'])))
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

/** A bitmap reads its rows where it reads its index. */
function scansOf(node: PlanNode): Scan[] {
  const kind = node['Node Type']
  const of = node['Index Name'] ?? node['Relation Name']
  const below = (node.Plans ?? []).flatMap(scansOf)
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
