import { isDashboardMethod } from '@tessera/contract/methods'
import type { FastifyPluginCallback } from 'fastify'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Adapters, Sandbox } from './adapters.ts'
import { everyMs, type Job } from './background.ts'
import type { Config } from './config.ts'
import { DashboardMissing, readDashboardAssets, type DashboardAssets } from './dashboard/assets.ts'
import { makeCardLists, type CardLists } from './dashboard/cards.ts'
import { makeCodeLists, type CodeLists } from './dashboard/codes.ts'
import { makeDashboard, type Dashboard } from './dashboard/dashboard.ts'
import { makeDashboardDoor } from './dashboard/door.ts'
import { dashboardFigures } from './dashboard/figures.ts'
import { makeDashboardGate } from './dashboard/gate.ts'
import { makeOverview, type TellOverview } from './dashboard/overview.ts'
import { makePasswords } from './dashboard/passwords.ts'
import type { DashboardParts } from './dashboard/parts.ts'
import { makeStart, type Start, type StartFacts } from './dashboard/start.ts'
import { makeTallies, type Tallies } from './dashboard/tallies.ts'
import { CannotGoOn } from './exits.ts'
import { proxiesOf } from './figures.ts'
import { readFormAssets } from './form/assets.ts'
import { makeRequestLists, type RequestLists } from './request-log/lists.ts'
import type { Recorder } from './request-log/recorder.ts'
import { makeRoad, type RoadParts } from './rpc/answer.ts'
import type { Journal } from './rpc/journal.ts'

/** What the grid needs for the dashboard's methods. */
export interface DashboardSide {
  readonly dashboard: Dashboard
  readonly cardLists: CardLists
  readonly tallies: Tallies
  readonly overview: TellOverview
  readonly codeLists: CodeLists
  readonly start: Start
  readonly requestLists: RequestLists
}

/** The dashboard's nouns, with the sandbox's login where there is a sandbox. */
export async function makeDashboardSide(
  parts: Omit<DashboardParts, 'figures' | 'passwords'>,
  { sandbox }: Pick<Adapters, 'sandbox'>,
  { formOrigin }: Pick<Config, 'formOrigin'>,
): Promise<DashboardSide> {
  const dashboard = makeDashboard({ ...parts, figures: dashboardFigures, passwords: makePasswords() })
  if (sandbox !== null) {
    const { merchantId, dashboardPhone: phone, dashboardPassword: password } = sandbox.demo
    await dashboard.ensureLogin({ merchantId, phone, password })
  }
  return {
    dashboard,
    cardLists: makeCardLists(parts),
    tallies: makeTallies(parts),
    overview: makeOverview(parts),
    codeLists: makeCodeLists({ ...parts, hasInbox: sandbox !== null }),
    requestLists: makeRequestLists(parts.store),
    start: makeStart(parts, { formOrigin, sdk: readSdk(), testing: sandbox === null ? null : testingOf(sandbox) }),
  }
}

/** Counts for the charts, every other second, and drops what no chart goes back to. */
export function tallyJobs({ runOnce, dropPast }: Tallies): Job[] {
  return [
    { event: 'tallied', everyMs: everyMs.tally, run: (stopping) => runOnce(stopping).then(() => 0) },
    { event: 'tallies_dropped', everyMs: everyMs.sweep, run: dropPast },
  ]
}

/** Writes what calls are to be recorded, every second, and drops what is past. What is written is not told: each call has its line. */
export function recordJobs({ runOnce, dropPast }: Recorder): Job[] {
  return [
    { event: 'requests_recorded', everyMs: everyMs.record, run: (stopping) => runOnce(stopping).then(() => 0) },
    { event: 'requests_dropped', everyMs: everyMs.sweep, run: dropPast },
  ]
}

/** A journal that has the calls of merchants timed as well; what people do in the dashboard is none of them. */
export function timedBy(tallies: Tallies, journal: Journal): Journal {
  return Object.freeze<Journal>({
    ...journal,
    called(entry) {
      const { merchantId, method, ms } = entry
      if (merchantId !== null && method !== null && !isDashboardMethod(method)) tallies.timed(merchantId, ms)
      journal.called(entry)
    },
  })
}

function testingOf({ cards, code, demo }: Sandbox): StartFacts['testing'] {
  return { cards, code, expire: demo.expiry, demo: { merchantId: demo.merchantId, password: demo.password } }
}

/** What the form snippet names; the form's own pages say what is missing where it is not built. */
function readSdk(): StartFacts['sdk'] {
  const { version, files } = readFormAssets(formFolder)
  const [integrity = '', moduleIntegrity = ''] = ['tessera.js', 'tessera.mjs'].map((name) => files.get(name)?.integrity)
  return { version, integrity, moduleIntegrity }
}

/** The dashboard's pages and its door, on its own host. Throws `CannotGoOn` when it is not built. */
export function makeDashboardPages(config: Config, { dashboard }: DashboardSide, road: RoadParts): FastifyPluginCallback {
  const { dashboardOrigin, formOrigin } = config
  const answer = makeRoad(road, makeDashboardGate(dashboard.sessions))
  return makeDashboardDoor({ answer, assets: readAssets(), dashboardOrigin, formOrigin, proxies: proxiesOf(config) })
}

function readAssets(): DashboardAssets {
  try {
    return readDashboardAssets(builtFolder)
  } catch (err) {
    if (err instanceof DashboardMissing) throw new CannotGoOn('settings', err.message, { cause: err })
    throw err
  }
}

const builtFolder = join(fileURLToPath(new URL('../../', import.meta.url)), 'dashboard', 'dist')
const formFolder = join(fileURLToPath(new URL('../../', import.meta.url)), 'browser', 'dist')
