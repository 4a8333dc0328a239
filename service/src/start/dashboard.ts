import { isDashboardMethod } from '@tessera/contract/methods'
import type { FastifyPluginCallback } from 'fastify'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Adapters, Sandbox } from './adapters.ts'
import { everyMs, type Job } from './background.ts'
import type { Config } from '../config/config.ts'
import { readDashboardAssets } from '../dashboard/assets.ts'
import { makeCardLists, type CardLists } from '../dashboard/cards.ts'
import { makeCodeLists, type CodeLists } from '../dashboard/codes.ts'
import type { Clock } from '../clock.ts'
import { openControls, type ControlParts, type Controls } from '../dashboard/controls.ts'
import { makeDashboard, type Dashboard } from '../dashboard/dashboard.ts'
import { makeDashboardDoor } from '../dashboard/door.ts'
import { dashboardFigures } from '../dashboard/figures.ts'
import { makeDashboardGate } from '../dashboard/gate.ts'
import { makeOverview, type TellOverview } from '../dashboard/overview.ts'
import { makePasswords } from '../dashboard/passwords.ts'
import type { DashboardParts } from '../dashboard/parts.ts'
import { makeReset, type Reset } from '../dashboard/reset.ts'
import { makeStart, type Start, type StartFacts } from '../dashboard/start.ts'
import { makeTallies, type Tallies } from '../dashboard/tallies.ts'
import { makeWebhookDesk, type WebhookDesk, type WebhookEndpoints } from '../dashboard/webhooks.ts'
import { proxiesOf } from './figures.ts'
import type { FormAssets } from '../form/assets.ts'
import { makeRequestLists, type RequestLists } from '../request-log/lists.ts'
import type { Recorder } from '../request-log/recorder.ts'
import { makeRoad, type RoadParts } from '../rpc/answer.ts'
import type { Journal } from '../rpc/journal.ts'

/** What the grid needs for the dashboard's methods. */
export interface DashboardSide {
  readonly dashboard: Dashboard
  readonly cardLists: CardLists
  readonly tallies: Tallies
  readonly overview: TellOverview
  readonly codeLists: CodeLists
  readonly start: Start
  readonly requestLists: RequestLists
  /** Null in production, like the next. */
  readonly controls: Controls | null
  readonly reset: Reset | null
  readonly webhookDesk: WebhookDesk
}

/** What the controls of a sandbox move. */
export interface Moved {
  /** The machine's own clock, which nobody moves. */
  readonly machine: Clock
  readonly mover: ControlParts['mover'] | null
  readonly rehearsal: ControlParts['rehearsal']
}

/** The dashboard's nouns, with the sandbox's login where there is a sandbox. */
export async function makeDashboardSide(
  parts: Omit<DashboardParts, 'figures' | 'passwords'> & { readonly endpoints: WebhookEndpoints; readonly assets: FormAssets },
  { sandbox }: Pick<Adapters, 'sandbox'>,
  { formOrigin }: Pick<Config, 'formOrigin'>,
  { machine, mover, rehearsal }: Moved,
): Promise<DashboardSide> {
  // People sign in by the machine's time, whatever is being rehearsed: the codes of their authenticators and the end of their sessions go by it.
  const dashboard = makeDashboard({ ...parts, clock: machine, figures: dashboardFigures, passwords: makePasswords() })
  if (sandbox !== null) {
    const { merchantId, dashboardPhone: phone, dashboardPassword: password } = sandbox.demo
    await dashboard.ensureLogin({ merchantId, phone, password })
  }
  return {
    dashboard,
    cardLists: makeCardLists(parts),
    // What was counted is not dropped for a time that is rehearsed.
    tallies: makeTallies({ store: parts.store, clock: machine }),
    overview: makeOverview(parts),
    webhookDesk: makeWebhookDesk(parts, parts.endpoints),
    codeLists: makeCodeLists({ ...parts, hasInbox: sandbox !== null }),
    requestLists: makeRequestLists(parts.store),
    start: makeStart(parts, { formOrigin, sdk: sdkOf(parts.assets), testing: sandbox === null ? null : testingOf(sandbox) }),
    ...(await openSandbox(parts, sandbox, { machine, mover, rehearsal })),
  }
}

/** There are controls, and a way to empty what was rehearsed, where there are a sandbox and a time that can be moved; in production neither. */
async function openSandbox(
  parts: Omit<DashboardParts, 'figures' | 'passwords'>,
  sandbox: Sandbox | null,
  { machine, mover, rehearsal }: Moved,
): Promise<Pick<DashboardSide, 'controls' | 'reset'>> {
  if (sandbox === null || mover === null) return { controls: null, reset: null }
  const facts = { ...sandbox, expire: sandbox.demo.expiry }
  const controls = await openControls({ store: parts.store, clock: machine, facts, mover, rehearsal, offsetMaxMs: sandbox.offsetMaxMs })
  return { controls, reset: makeReset(parts) }
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

/** What the form snippet names. */
function sdkOf({ version, files }: FormAssets): StartFacts['sdk'] {
  const [integrity = '', moduleIntegrity = ''] = ['tessera.js', 'tessera.mjs'].map((name) => files.get(name)?.integrity)
  return { version, integrity, moduleIntegrity }
}

/** The dashboard's pages and its door, on its own host. Throws `DashboardMissing` when it is not built. */
export function makeDashboardPages(config: Config, { dashboard }: DashboardSide, road: RoadParts): FastifyPluginCallback {
  const { dashboardOrigin, formOrigin } = config
  const answer = makeRoad(road, makeDashboardGate(dashboard.sessions))
  return makeDashboardDoor({ answer, assets: readDashboardAssets(builtFolder), dashboardOrigin, formOrigin, proxies: proxiesOf(config) })
}

const builtFolder = join(fileURLToPath(new URL('../../../', import.meta.url)), 'dashboard', 'dist')
