import { auditLink } from './audit-link.ts'
import { check, create } from './against-floor.ts'
import { longCommands } from './commands.ts'
import { firstPage } from './first-page.ts'
import { indexes } from './indexes.ts'
import { largeStart } from './large-start.ts'
import { lists } from './lists.ts'
import type { Measurement } from './measurement.ts'
import { flood } from './flood.ts'
import { form } from './form.ts'
import { freshness } from './freshness.ts'
import { payRate } from './pay.ts'
import { costs } from './costs.ts'
import { growth } from './growth.ts'
import { latency } from './latency.ts'
import { idleConnections } from './idle-connections.ts'
import { pageSwitches } from './page-switches.ts'
import { pans } from './pans.ts'
import { profile } from './profiles.ts'
import { stalls } from './stalls.ts'
import { reseal } from './reseal.ts'
import { sizes } from './sizes.ts'
import { sweep } from './sweep.ts'
import { merchants } from './merchants.ts'
import { memory, start } from './starting.ts'
import { timing } from './timing.ts'
import { workers } from './workers.ts'

/** Every measurement, in the order of a run. */
export const measurements: readonly Measurement[] = [
  create,
  check,
  latency,
  payRate,
  workers,
  profile,
  auditLink,
  stalls,
  longCommands,
  start,
  largeStart,
  memory,
  pans,
  timing,
  lists,
  indexes,
  freshness,
  costs,
  growth,
  idleConnections,
  merchants,
  reseal,
  sweep,
  flood,
  firstPage,
  pageSwitches,
  sizes,
  form,
]
