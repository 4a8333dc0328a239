import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

import { openApiClient, tokenOf } from './api-client.ts'
import type { Experiment, Trial } from './experiment.ts'
import { panWithNetworkOtp } from './load.ts'
import { plantedFaults } from './planted-faults.ts'
import { createServiceData, makeFolder, type ServiceData } from './service-data.ts'
import { runCommand, startService, type RunningService } from './spawn.ts'
import { largest } from './statistics.ts'

/** Several processes start at once on an empty database: each may be the one that creates schema, keys, boundary of the audit and demo merchant. */
export const startRace: Experiment = {
  name: 'start-race',
  question: 'Do four processes that start at once on an empty database all start, and is each card of one known to all?',
  stores: ['postgres'],
  cycles: 6,
  needs: [],
  async run(trial) {
    const found = await raceStarts(trial, trial.cycles)
    const strict = await raceStarts(trial, 2, [plantedFaults.racingLogin])
    return {
      acknowledged: found.cards,
      lost: found.lost.length,
      cycles: trial.cycles,
      complaints: [...found.complaints, ...found.lost],
      metrics: { started: found.started, of: trial.cycles * racers, slowest_start_ms: Math.round(largest(found.startMs)) },
      control: {
        what: 'a demo login that is looked for and then created',
        isFound: strict.started < 2 * racers,
        details: `${strict.started} of ${2 * racers} started`,
      },
    }
  },
}

interface StartRaceResult {
  started: number
  /** Cards that were acknowledged. */
  cards: number
  readonly startMs: number[]
  readonly complaints: string[]
  readonly lost: string[]
}

interface RaceOptions {
  readonly imports: readonly URL[]
  /** The path of the KEK. */
  readonly kek: string
}

export async function raceStarts(trial: Trial, rounds: number, imports: readonly URL[] = []): Promise<StartRaceResult> {
  const result: StartRaceResult = { started: 0, cards: 0, startMs: [], complaints: [], lost: [] }
  const home = await createKek(trial)
  try {
    for (let round = 0; round < rounds; round++) {
      await raceOnce(trial, { imports, kek: join(home.folder, 'data', kekName) }, result)
      trial.say(`round ${round + 1} of ${rounds}: ${result.started} of ${(round + 1) * racers} started`)
    }
    return result
  } finally {
    await home.remove()
  }
}

async function raceOnce({ store, dataFactory }: Trial, { imports, kek }: RaceOptions, result: StartRaceResult): Promise<void> {
  const database = await dataFactory.create(store)
  const homes = createHomes(database, kek)
  const starts = await Promise.allSettled(homes.map(({ flags }) => startService({ flags, imports })))
  const running = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []))
  try {
    result.started += running.length
    result.startMs.push(...running.map(({ startMs }) => startMs))
    for (const start of starts) if (start.status === 'rejected') result.complaints.push(String(start.reason))
    await compareCards(running, result)
    if (imports.length === 0) result.complaints.push(...(await verifyAudit(homes)))
  } finally {
    await Promise.all(running.map((each) => each.stop()))
    for (const home of homes) await home.remove()
    await database.remove()
  }
}

/** A data folder for each process, with the one KEK that services on a database share. */
function createHomes({ databaseUrl }: ServiceData, kek: string): ServiceData[] {
  const folders = Array.from({ length: racers }, makeFolder)
  for (const folder of folders) mkdirSync(join(folder, 'data'), { mode: 0o700 })
  for (const folder of folders) cpSync(kek, join(folder, 'data', kekName))
  return folders.map((folder) => createServiceData(folder, databaseUrl))
}

/** Lets a service on the embedded store create the KEK that the others get, as an operator would hand it out. */
async function createKek({ dataFactory }: Trial): Promise<ServiceData> {
  const home = await dataFactory.create('sqlite')
  await (await startService({ flags: home.flags })).stop()
  return home
}

/** Every process creates a card, and every process has to know all of them. */
async function compareCards(running: readonly RunningService[], result: StartRaceResult): Promise<void> {
  const tokens: string[] = []
  for (const service of running) {
    const client = await openApiClient(service)
    const created = await client.create(panWithNetworkOtp)
    if (created.kind === 'result') tokens.push(tokenOf(created.result))
    else result.complaints.push(`a card could not be created: ${JSON.stringify(created)}`)
    client.close()
  }
  result.cards += tokens.length
  for (const service of running) {
    const client = await openApiClient(service)
    for (const token of tokens) {
      const checked = await client.check(token)
      if (checked.kind !== 'result') result.lost.push(`a card of another process is answered with ${JSON.stringify(checked)}`)
    }
    client.close()
  }
}

/** The chains of all processes, with one boundary, asked of one that runs. */
async function verifyAudit([home]: readonly ServiceData[]): Promise<string[]> {
  if (home === undefined) return []
  const { code, out } = await runCommand(['audit', 'verify', ...home.flags])
  return code === 0 ? [] : [`tessera audit verify ended with ${String(code)}: ${out.slice(0, 300)}`]
}

const racers = 4
const kekName = 'development.kek'
