import { createResources } from '../../app/lifecycle.ts'
import { chooseAdapters } from '../../app/production-checks.ts'
import { requireStartChecks } from '../../app/start-checks.ts'
import { makeStartSubject } from '../../app/start-subject.ts'
import { openStorage, retryUntilReachable } from '../../app/storage.ts'
import { acceptRestored } from '../../domain/freshness/accept-restored.ts'
import { makeSystemClock } from '../../system-clock.ts'
import { makeLinkCheck } from '../audit/link-check.ts'
import { openAuditChain } from '../audit/open-chain.ts'
import { ExitError } from '../exits.ts'
import { makeLog } from '../logging/log.ts'
import { openLogSink } from '../logging/sink.ts'

import type { CommandInput, CommandOutcome } from './command.ts'
import { explainStart } from './explain-start.ts'
import { claimFolder } from './start.ts'

/**
 * `tessera audit accept-restored`: opens the database without starting the service. The checks of a start come first: with the key store of another
 * database, what is recorded would be of the wrong keys, and nothing may be written.
 */
export async function runAcceptRestored(input: CommandInput): Promise<CommandOutcome> {
  if (!input.options.has('yes')) throw new ExitError('usage', confirmation)
  const { config } = input.settings()
  process.umask(0o077)
  const clock = makeSystemClock()
  const sink = openLogSink(STDERR)
  const log = makeLog(config.logLevel, sink, clock.now)
  const stopping = new AbortController().signal
  const resources = createResources((err) => log.error('close_failed', { err }))
  try {
    const adapters = chooseAdapters(config)
    const subject = makeStartSubject(config, {
      adapters,
      clock,
      log,
      claim: async () => claimFolder(config, resources),
      isServing: () => false,
      retry: (step) => retryUntilReachable(config, { log, clock, stopping }, step),
    })
    resources.add(subject.close)
    await requireStartChecks(subject, 'folder')
    await requireStartChecks(subject, 'data')
    if (!(await subject.database()).hasSchema)
      throw new ExitError('invalidSettings', 'there is no database to accept.', { advice: nameDatabase })
    await subject.close()
    const endNow = (_exit: unknown, event: string, err: unknown): never => {
      throw err instanceof Error ? err : new Error(event)
    }
    const { store, keyring, anchors } = await openStorage(config, adapters, { clock, log, stopping, endNow }, resources)
    await openAuditChain({ store, keyring, clock, log, stopping, retry: (step) => step() })
    const isLinked = await makeLinkCheck(store, keyring)
    const faults = await acceptRestored({ store, anchors, clock, log, isLinked })
    return { exit: 'done', data: { accepted: { faults } }, text: acceptedText(faults) }
  } catch (err) {
    throw explainStart(err, config, stopping)
  } finally {
    await resources.closeAll()
    sink.flush()
  }
}

function acceptedText(faults: number): string {
  if (faults === 0) return 'Accepted. Start the service again.'
  return `Accepted, although ${String(faults)} entries of the audit are missing or were changed. Start the service again, and run tessera audit verify.`
}

const STDERR = 2

const nameDatabase = 'Set TESSERA_DATA, and TESSERA_DATABASE_URL if it is in PostgreSQL, as the service has them.'

const confirmation =
  'tessera audit accept-restored makes the service accept a database that is older than what it recorded. Everything that was changed after ' +
  'that backup is lost: removed cards can be used again, used recovery codes and retired passwords work again, and payments may be missing. ' +
  'Stop every service on this database first. To go on, add --yes.'
