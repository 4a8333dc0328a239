import { blackhole } from './blackhole.ts'
import { clock } from './clock.ts'
import { diskFull } from './disk-full.ts'
import type { Experiment } from './experiment.ts'
import { ioError } from './io-error.ts'
import { kill9 } from './kill9.ts'
import { money } from './money.ts'
import { otpRace } from './otp-race.ts'
import { powerCut } from './power-cut.ts'

/** Every experiment, in the order in which a run makes them. */
export const experiments: readonly Experiment[] = [kill9, money, powerCut, ioError, diskFull, clock, otpRace, blackhole]
