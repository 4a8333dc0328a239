import { KekMissingError, type Kek } from '@tessera/vault/kek'

import type { KekAdapterDependencies } from '../../adapters/kms/kek.ts'
import { adapterDependencies } from '../../app/adapter-dependencies.ts'
import { externalAdapters, findKekFaults, isDevelopmentKek } from '../../app/adapters.ts'
import { usesShares } from '../../app/sealed-service.ts'
import { makeSystemClock } from '../../system-clock.ts'
import type { Config } from '../config/config.ts'
import { ExitError } from '../exits.ts'
import { silentLog } from '../logging/log.ts'

import type { CommandInput, CommandOutcome } from './command.ts'
import { explainStart } from './explain-start.ts'
import { withSubject } from './with-subject.ts'

/**
 * Lets the provider generate the key encryption key before the first start. Nothing is replaced: a key that exists is reported, and a key store whose
 * keys another KEK wraps is refused.
 */
export async function runKeysInit(input: CommandInput): Promise<CommandOutcome> {
  const { config } = input.settings()
  const faults = findKekFaults(config)
  if (faults.length > 0) throw new ExitError('invalidSettings', faults.join('\n'))
  if (input.options.has('next')) return initNextKek(config)
  if (usesShares(config)) {
    throw new ExitError(
      'usage',
      'The KEK is in shares of custodians: start the service, which is sealed until there is a set, and make one there.',
      {
        advice: 'tessera keys init --shares 5 --threshold 3',
      },
    )
  }
  if (isDevelopmentKek(config)) {
    const text = 'TESSERA_KEK is file, the development KEK: the first start generates it. Nothing was changed.'
    return { exit: 'done', data: { kek: null, kind: 'development-file', generated: false }, text }
  }
  return withSubject(config, async (subject) => {
    const storedKeys = (await subject.storedKeys()).filter(({ state }) => state !== 'destroyed')
    const { kek, isNew } = await openOrGenerate(config, storedKeys[0]?.kekId ?? null, storedKeys.length)
    await checkRoundTrip(kek).finally(() => kek.close())
    const text = isNew
      ? `The KEK ${kek.id} was generated, and wrapped and unwrapped a test key. Back it up with the tools of its maker before the first start:\n` +
        'without it no card can be opened.'
      : `The KEK ${kek.id} exists and works; nothing was changed.`
    return { exit: 'done', data: { kek: kek.id, kind: kek.kind, generated: isNew }, text }
  })
}

/** The same for the KEK that is to replace the current one. Needs no key store. */
async function initNextKek(config: Config): Promise<CommandOutcome> {
  const open = async (mayCreate: boolean): Promise<Kek> => {
    const kek = await externalAdapters(config).openNextKek(kekDependencies(config, mayCreate))
    if (kek === null) throw new ExitError('usage', 'TESSERA_KEK_NEXT_FILE is not set: it names the file with the settings of the next KEK.')
    return kek
  }
  try {
    const found = await openExisting(open)
    const kek = found ?? (await open(true))
    await checkRoundTrip(kek).finally(() => kek.close())
    const text =
      found === null
        ? `The KEK ${kek.id} was generated, and wrapped and unwrapped a test key. Back it up, then restart each service with TESSERA_KEK_NEXT_FILE.`
        : `The KEK ${kek.id} exists and works; nothing was changed.`
    return { exit: 'done', data: { kek: kek.id, kind: kek.kind, generated: found === null }, text }
  } catch (err) {
    throw explainStart(err, config, new AbortController().signal)
  }
}

function kekDependencies(config: Config, mayCreate: boolean): KekAdapterDependencies {
  const deps = adapterDependencies(config, { clock: makeSystemClock(), log: silentLog }, config.networkTimeoutMs)
  return { ...deps, warn: silentLog.warn, mayCreate }
}

/** Null when there is none. */
function openExisting(open: (mayCreate: boolean) => Promise<Kek>): Promise<Kek | null> {
  return open(false).catch((err: unknown) => {
    if (err instanceof KekMissingError) return null
    throw err
  })
}

async function openOrGenerate(config: Config, usedKek: string | null, keys: number): Promise<{ kek: Kek; isNew: boolean }> {
  const open = (mayCreate: boolean): Promise<Kek> => externalAdapters(config).openKek(kekDependencies(config, mayCreate))
  const found = await openExisting(open)
  if (usedKek !== null && found?.id !== usedKek) {
    found?.close()
    throw new ExitError('invalidSettings', `the key store has ${String(keys)} keys that the KEK ${usedKek} wraps.`, {
      advice: 'Restore that KEK, or name it in the settings; a new one cannot open them.',
    })
  }
  return found === null ? { kek: await open(true), isNew: true } : { kek: found, isNew: false }
}

/** Throws unless the provider unwraps what it wrapped. */
async function checkRoundTrip(kek: Kek): Promise<void> {
  const sample = new Uint8Array(32).fill(0x5a)
  const associated = Buffer.from('tessera keys init')
  const unwrapped = await kek.unwrap(await kek.wrap(sample, associated), associated)
  if (Buffer.compare(unwrapped, sample) !== 0) throw new ExitError('internalError', `the KEK ${kek.id} does not unwrap what it wrapped.`)
}
