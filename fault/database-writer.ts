import { writerCases } from './database-writer-cases.ts'
import { openWriterTarget, type WriterTarget } from './database-writer-target.ts'
import type { Experiment, ExperimentResult, Trial } from './experiment.ts'
import { plantedFaults } from './planted-faults.ts'
import { largest } from './statistics.ts'
import type { CaseTarget, WriterCase } from './writer-rows.ts'

/** Somebody writes the database behind the running service, without its keys. */
export const databaseWriter: Experiment = {
  name: 'database-writer',
  question: 'Is a row refused, with an alarm, that somebody changed, inserted, exchanged, deleted or put back behind the service?',
  stores: ['sqlite', 'postgres'],
  cycles: 1,
  needs: [],
  async run(trial) {
    const found = await runCases(trial, writerCases)
    const unchecked: CaseResult[] = []
    for (const check of ['mac', 'version'] as const) unchecked.push(...(await runUnchecked(trial, check, writerCases)))
    return { ...found, control: describeControl(unchecked) }
  },
}

/** The cases that are refused because of one check, against a service that does not make it. */
export async function runUnchecked(
  trial: Trial,
  check: NonNullable<WriterCase['isHeldBy']>,
  cases: readonly WriterCase[],
): Promise<readonly CaseResult[]> {
  const held = cases.filter(({ isHeldBy }) => isHeldBy === check)
  const { results } = await runCases(trial, held, [doubles[check]])
  return results
}

const doubles = {
  mac: plantedFaults.acceptAnyRow,
  version: plantedFaults.skipFreshness,
} as const

/** What a case did, and whether that is what is expected of it. */
export interface CaseResult extends Pick<WriterCase, 'table' | 'action' | 'what'> {
  readonly outcome: WriterCase['outcome']
  readonly reply: string
  /** Where the alarm was seen: `metric`, `log`, `audit`. */
  readonly alarms: readonly string[]
  /** The command that found it, where one is expected to. */
  readonly foundBy: string | null
  readonly seconds: number
}

type CasesResult = Omit<ExperimentResult, 'control'> & { readonly results: readonly CaseResult[] }

/** Runs cases against one service. Each is made from rows of its own. */
export async function runCases(trial: Trial, cases: readonly WriterCase[], imports: readonly URL[] = []): Promise<CasesResult> {
  const target = await openWriterTarget(trial, imports)
  const results: CaseResult[] = []
  const complaints: string[] = []
  const later: { readonly id: string; readonly of: WriterCase; readonly at: number }[] = []
  try {
    for (const of of cases) {
      const arranged = await of.arrange(target)
      const result = await runCase(target, of, arranged)
      if (of.foundBy !== undefined && arranged.id !== undefined) later.push({ id: arranged.id, of, at: results.length })
      results.push(result)
      complaints.push(...complaintsOf(of, result))
      await arranged.undo?.()
      trial.say(`${of.table}, ${of.action}: ${result.outcome} (${result.reply})`)
    }
    if (imports.length === 0) complaints.push(...(await findLater(target, later)))
    complaints.push(...(await target.stop()))
  } finally {
    await target.close()
  }
  const isRefused = ({ outcome }: CaseResult): boolean => outcome === 'refused'
  return {
    acknowledged: results.length,
    lost: 0,
    cycles: 1,
    complaints,
    results,
    table: [headings, ...results.map((result) => formatResult(trial.store, result))],
    metrics: {
      cases: results.length,
      refused: results.filter(isRefused).length,
      refused_seconds_most: largest(results.filter(isRefused).map(({ seconds }) => seconds)),
    },
  }
}

async function runCase(target: WriterTarget, { table, action, what, foundBy }: WriterCase, arranged: CaseTarget): Promise<CaseResult> {
  const before = await target.countAlarms()
  const startedAt = performance.now()
  await arranged.write()
  const { reply, isAccepted, isMissing = false } = await arranged.use()
  const alarms = isAccepted || isMissing ? [] : await target.awaitAlarms(before)
  const outcome = isAccepted ? 'accepted' : isMissing ? 'missing' : 'refused'
  return { table, action, what, outcome, reply, alarms, foundBy: foundBy ?? null, seconds: (performance.now() - startedAt) / 1000 }
}

function complaintsOf(of: WriterCase, { outcome, reply, alarms }: CaseResult): string[] {
  const name = `${of.table}, ${of.action} (${of.what})`
  if (outcome !== of.outcome) return [`${name}: ${outcome} (${reply}), expected ${of.outcome}`]
  const missing = of.outcome === 'refused' ? alarmPlaces.filter((place) => !alarms.includes(place)) : []
  return missing.length === 0 ? [] : [`${name}: no alarm in ${missing.join(', ')}`]
}

/** Runs the command once for all cases that it is said to find. */
async function findLater(target: WriterTarget, later: readonly { readonly id: string; readonly of: WriterCase }[]): Promise<string[]> {
  const commands = [...new Set(later.map(({ of }) => of.foundBy ?? ''))]
  const complaints: string[] = []
  for (const command of commands) {
    const out = await target.runFinder(command)
    for (const { id, of } of later)
      if (of.foundBy === command && !out.includes(id))
        complaints.push(`${of.table}, ${of.action} (${of.what}): \`tessera ${command}\` does not find ${id}`)
  }
  return complaints
}

/** Without the comparison every such row has to be accepted: the experiment sees a difference, and the comparison makes it. */
function describeControl(results: readonly CaseResult[]): ExperimentResult['control'] {
  const accepted = results.filter(({ outcome }) => outcome === 'accepted').length
  const refused = results.filter(({ outcome }) => outcome !== 'accepted').map(({ table, action }) => `${table} ${action}`)
  return {
    what: 'rows whose MACs or versions are not compared',
    isFound: accepted === results.length && accepted > 0,
    details: `${accepted} of ${results.length} accepted${refused.length === 0 ? '' : `, not ${refused.join(', ')}`}`,
  }
}

const alarmPlaces = ['metric', 'log', 'audit']
const headings = ['store', 'table', 'action', 'what', 'result', 'alarm', 'found later by', 'seconds']

function formatResult(store: string, { table, action, what, outcome, alarms, foundBy, seconds }: CaseResult): string[] {
  const result = outcome === 'missing' ? 'not found' : outcome
  const later = outcome === 'refused' ? '' : foundBy === null ? 'nothing yet' : `tessera ${foundBy}`
  return [store, table, action, what, result, alarms.join(' '), later, seconds.toFixed(2)]
}
