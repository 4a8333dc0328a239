import type { Experiment, Trial } from './experiment.ts'
import { largest } from './figures.ts'
import { networkSendsPan, sandboxCode, weSendPan } from './load.ts'
import { startTessera, type Running } from './spawn.ts'
import { openWire, tokenOf, type Outcome, type Wire } from './wire.ts'

/** Wrong codes race each other: a counter that is read and then written would evaluate all of them. */
export const otpRace: Experiment = {
  name: 'otp-race',
  question: 'How many of 200 wrong codes that arrive at once are evaluated?',
  stores: ['sqlite', 'postgres'],
  cycles: 10,
  needs: [],
  async run(trial) {
    const found = await race(trial, trial.cycles)
    const naive = await race(trial, 1, [new URL('./doubles/count-late.ts', import.meta.url)])
    const most = largest(naive.evaluated)
    return {
      ...{ acknowledged: found.answers, lost: 0, cycles: trial.cycles, complaints: found.complaints },
      figures: { evaluated_most: largest(found.evaluated), tries_max: triesMax },
      control: { what: 'a counter that is read before it is written', isFound: most > triesMax, seen: `${most} of ${racers} evaluated` },
    }
  },
}

interface Raced {
  readonly answers: number
  /** Codes that were evaluated, by race. */
  readonly evaluated: readonly number[]
  readonly complaints: readonly string[]
}

export async function race({ store, homes, say }: Trial, races: number, imports: readonly URL[] = []): Promise<Raced> {
  const home = await homes.make(store)
  const running = await startTessera({ flags: [...home.flags, `--otp-tries-max=${triesMax}`], imports })
  const wires = await Promise.all(Array.from({ length: racers }, () => openWire(running)))
  const evaluated: number[] = []
  const complaints: string[] = []
  try {
    for (let at = 0; at < races; at++) {
      const token = await makeOpenCode(wires, at % 2 === 0 ? networkSendsPan : weSendPan)
      const outcomes = await Promise.all(wires.map((wire, racer) => wire.verify(token, String(100_000 + racer))))
      evaluated.push(outcomes.filter((outcome) => isRefused(outcome, 'wrong_code')).length)
      complaints.push(...(await findFaults(wires, token, outcomes)))
      say(`race ${at + 1} of ${races}: ${String(evaluated.at(-1))} evaluated`)
    }
  } finally {
    await end(wires, running)
    await home.remove()
  }
  return { answers: races * racers, evaluated, complaints }
}

async function makeOpenCode([wire]: readonly Wire[], pan: string): Promise<string> {
  const created = await wire?.create(pan)
  if (created?.kind !== 'result') throw new Error('no card could be made')
  const token = tokenOf(created.result)
  if ((await wire?.askCode(token))?.kind !== 'result') throw new Error('no code could be asked for')
  return token
}

/** More than the tries allow, an answer of another kind, or a right code that still counts after them. */
async function findFaults(wires: readonly Wire[], token: string, outcomes: readonly Outcome[]): Promise<string[]> {
  const evaluated = outcomes.filter((outcome) => isRefused(outcome, 'wrong_code')).length
  const others = outcomes.filter((outcome) => !isRefused(outcome, 'wrong_code') && !isRefused(outcome, 'tries_used_up'))
  const last = await wires[0]?.verify(token, sandboxCode)
  return [
    ...(evaluated <= triesMax ? [] : [`${evaluated} wrong codes were evaluated`]),
    ...others.slice(0, 3).map((outcome) => `a wrong code was answered ${JSON.stringify(outcome).slice(0, 200)}`),
    ...(last !== undefined && isRefused(last, 'tries_used_up') ? [] : ['the right code still counted when the tries were used up']),
  ]
}

function isRefused(outcome: Outcome, reason: string): boolean {
  return outcome.kind === 'refused' && outcome.reason === reason
}

async function end(wires: readonly Wire[], running: Running): Promise<void> {
  for (const wire of wires) wire.close()
  await running.stop()
}

const racers = 200
const triesMax = 5
