import { KekSealedError } from '@tessera/vault/kek'

import type { Config } from '../config/config.ts'
import type { StartSubject } from '../../app/start-subject.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { ExitError } from '../exits.ts'
import { silentLog } from '../logging/log.ts'

import { callOperator, displayPath, type ControlReply } from './control-client.ts'
import { finding, type DoctorFinding } from './doctor-finding.ts'

/**
 * Runs the checks of a start, or those of these names, and reports each. What they need is loaded here, because it loads the service, which other commands do
 * not need.
 */
export async function runStartChecks(config: Config, isWanted: (name: string) => boolean = () => true): Promise<DoctorFinding[]> {
  const [{ startChecks }, { makeStartSubject }, { chooseAdapters }, { explainStart }] = await Promise.all([
    import('../../app/start-checks.ts'),
    import('../../app/start-subject.ts'),
    import('../../app/production-checks.ts'),
    import('./explain-start.ts'),
  ])
  let isServing = false
  let isSealed = false
  const subject = makeStartSubject(config, {
    adapters: chooseAdapters(config),
    clock: makeSystemClock(),
    log: silentLog,
    claim: async () => {
      const reply = await callRunningService(config)
      isServing = reply !== null
      return describeService(reply)
    },
    isServing: () => isServing,
    retry: (step) => step(),
  })
  const findings: DoctorFinding[] = []
  /** The first check that failed with each error: what is opened once fails once. */
  const reported = new Map<unknown, string>()
  for (const { name, run } of startChecks.filter((check) => isWanted(check.name))) {
    try {
      findings.push(finding(name, true, await run(subject), ''))
    } catch (err) {
      if (err instanceof KekSealedError) {
        findings.push(name === 'KEK' ? await describeShares(config) : unseen(name, heldByCustodians))
        isSealed = true
        continue
      }
      const first = reported.get(err)
      reported.set(err, first ?? name)
      findings.push(...(first === undefined ? describeFailure(name, explainStart(err, config, neverStopping)) : [skipped(name, first)]))
    }
  }
  const describe = (err: unknown): DoctorFinding[] => describeFailure('audit', explainStart(err, config, neverStopping))
  if (isWanted('audit') && !isSealed && findings.every(({ ok }) => ok)) findings.push(...(await checkStoreQuickly(subject).catch(describe)))
  await subject.close()
  return findings
}

/** Only a running service has opened the KEK. */
async function describeShares({ dataFolder }: Config): Promise<DoctorFinding> {
  const reply = await callOperator(dataFolder, 'operator.shares.list', {}).catch(() => null)
  const sets = reply !== null && 'result' in reply ? reply.result.sets : []
  const open = sets
    .filter(({ isOpen }) => isOpen)
    .map(({ setId, threshold, shares }) => `${setId} (${String(threshold)} of ${String(shares)})`)
  return open.length === 0
    ? unseen('KEK', 'none open: custodians hold it in shares, see tessera keys shares')
    : finding('KEK', true, `in shares of custodians, open: ${open.join(', ')}`, '')
}

const heldByCustodians = 'not checked here, because custodians hold the KEK: see tessera keys verify'

function unseen(check: string, found: string): DoctorFinding {
  return { ...finding(check, true, found, ''), unseen: true }
}

/** The part of `tessera store check` that takes a moment. Only after the checks of a start: without keys or schema there is nothing to compare. */
async function checkStoreQuickly(subject: StartSubject): Promise<DoctorFinding[]> {
  const [{ checkOpenedStore }, { quickStages }, { noWalk }, { printFinding }] = await Promise.all([
    import('./check-stopped-store.ts'),
    import('../audit/check.ts'),
    import('../../store/walk.ts'),
    import('./print-finding.ts'),
  ])
  const database = await subject.database()
  if (!database.hasSchema || database.pending().length > 0) return [finding('audit', true, 'none of this version yet', '')]
  const { chains, entries, findings } = await checkOpenedStore(subject, quickStages, noWalk)
  const [first] = findings
  if (first === undefined)
    return [finding('audit', true, `the newest ${String(entries)} entries of ${String(chains)} chains, and every recorded end of them`, '')]
  const more = findings.length === 1 ? '' : `, and ${String(findings.length - 1)} more`
  return [finding('audit', false, `${printFinding(first)}${more}`, 'see tessera store check, which reads everything')]
}

/** One finding for each reason that the error lists. */
function describeFailure(check: string, err: unknown): DoctorFinding[] {
  if (!(err instanceof ExitError))
    return [finding(check, false, err instanceof Error ? err.message : String(err), 'an internal error: please report it')]
  const [first = '', ...reasons] = err.what.split('\n')
  return reasons.length === 0 ? [finding(check, false, first, err.advice)] : reasons.map((reason) => finding(check, false, reason, ''))
}

function skipped(check: string, because: string): DoctorFinding {
  return { check, ok: false, found: `not checked, because "${because}" failed`, advice: '', skipped: true }
}

/** The reply of the service that runs on the folder; null when none does. Throws `ExitError` when it does not respond. */
async function callRunningService({ dataFolder }: Config): Promise<ControlReply<'operator.status.get'> | null> {
  return callOperator(dataFolder, 'operator.status.get', {}).catch((cause: unknown) => {
    throw new ExitError('unavailable', `the service on ${displayPath(dataFolder)} cannot be reached (${errorCodeOf(cause)}).`, {
      cause,
      advice: 'Run this as the user that the service runs as; when it is that user, see the log of the service.',
    })
  })
}

/** Throws `ExitError` when the service is not ready. */
function describeService(reply: ControlReply<'operator.status.get'> | null): string {
  if (reply === null) return 'none is running'
  if ('result' in reply && reply.result.ready) return 'running and responding'
  const state = 'result' in reply ? describeState(reply.result) : reply.error.message
  throw new ExitError('unavailable', `the service runs and is not ready (${state}).`, { advice: 'See the other checks, and its log.' })
}

function describeState({ state, reason }: { readonly state: string; readonly reason?: unknown }): string {
  return typeof reason === 'string' ? `${state}: ${reason}` : state
}

function errorCodeOf(err: unknown): string {
  return (err as NodeJS.ErrnoException).code ?? 'unknown'
}

const neverStopping = new AbortController().signal
