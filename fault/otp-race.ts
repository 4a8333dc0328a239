import type { Experiment, Trial } from './experiment.ts'
import { plantedFaults } from './planted-faults.ts'
import { largest } from './statistics.ts'
import { panWithNetworkOtp, testOtp, panWithOurOtp } from './load.ts'
import { startService, type RunningService } from './spawn.ts'
import { openApiClient, tokenOf, type CallOutcome, type ApiClient } from './api-client.ts'

/** Wrong codes sent at the same time. A counter that is read and then written would evaluate all of them. */
export const otpRace: Experiment = {
  name: 'otp-race',
  question: 'How many of 200 wrong codes that arrive at once are evaluated?',
  stores: ['sqlite', 'postgres'],
  cycles: 10,
  needs: [],
  async run(trial) {
    const found = await race(trial, trial.cycles)
    const naive = await race(trial, 1, [plantedFaults.countLate])
    const most = largest(naive.evaluated)
    return {
      acknowledged: found.replies,
      lost: 0,
      cycles: trial.cycles,
      complaints: found.complaints,
      metrics: { evaluated_most: largest(found.evaluated), max_attempts: maxAttempts },
      control: {
        what: 'a counter that is read before it is written',
        isFound: most > maxAttempts,
        details: `${most} of ${racers} evaluated`,
      },
    }
  },
}

interface RaceResult {
  readonly replies: number
  /** Codes that were evaluated, by race. */
  readonly evaluated: readonly number[]
  readonly complaints: readonly string[]
}

export async function race({ store, dataFactory, say }: Trial, races: number, imports: readonly URL[] = []): Promise<RaceResult> {
  const serviceData = await dataFactory.create(store)
  const running = await startService({ flags: [...serviceData.flags, `--otp-attempts-max=${maxAttempts}`], imports })
  const clients = await Promise.all(Array.from({ length: racers }, () => openApiClient(running)))
  const evaluated: number[] = []
  const complaints: string[] = []
  try {
    for (let at = 0; at < races; at++) {
      const token = await makeOpenCode(clients, at % 2 === 0 ? panWithNetworkOtp : panWithOurOtp)
      const outcomes = await Promise.all(clients.map((client, racer) => client.verify(token, String(100_000 + racer))))
      evaluated.push(countEvaluated(outcomes))
      complaints.push(...(await findFaults(clients, token, outcomes)))
      say(`race ${at + 1} of ${races}: ${String(evaluated.at(-1))} evaluated`)
    }
  } finally {
    await end(clients, running)
    await serviceData.remove()
  }
  return { replies: races * racers, evaluated, complaints }
}

async function makeOpenCode([client]: readonly ApiClient[], pan: string): Promise<string> {
  const created = await client?.create(pan)
  if (created?.kind !== 'result') throw new Error('no card could be created')
  const token = tokenOf(created.result)
  if ((await client?.requestCode(token))?.kind !== 'result') throw new Error('no code could be requested')
  return token
}

/** More evaluated codes than attempts allowed, another reply, or a right code that still counts afterwards. */
async function findFaults(clients: readonly ApiClient[], token: string, outcomes: readonly CallOutcome[]): Promise<string[]> {
  const evaluated = countEvaluated(outcomes)
  const others = outcomes.filter((outcome) => !isRefused(outcome, 'wrong_code') && !isRefused(outcome, 'tries_used_up'))
  const last = await clients[0]?.verify(token, testOtp)
  return [
    ...(evaluated <= maxAttempts ? [] : [`${evaluated} wrong codes were evaluated`]),
    ...others.slice(0, 3).map((outcome) => `the reply to a wrong code was ${JSON.stringify(outcome).slice(0, 200)}`),
    ...(last !== undefined && isRefused(last, 'tries_used_up') ? [] : ['the right code still counted after the last attempt']),
  ]
}

function isRefused(outcome: CallOutcome, reason: string): boolean {
  return outcome.kind === 'refused' && outcome.reason === reason
}

async function end(clients: readonly ApiClient[], running: RunningService): Promise<void> {
  for (const client of clients) client.close()
  await running.stop()
}

const racers = 200
/** The reply to the last evaluated wrong code is `tries_used_up`, like that to every code which is not evaluated. */
function countEvaluated(outcomes: readonly CallOutcome[]): number {
  const count = (reason: string): number => outcomes.filter((outcome) => isRefused(outcome, reason)).length
  return count('wrong_code') + Math.min(1, count('tries_used_up'))
}

const maxAttempts = 5
