import type { FastifyPluginCallback } from 'fastify'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { Adapters } from './adapters.ts'
import type { Config } from './config.ts'
import { DashboardMissing, readDashboardAssets, type DashboardAssets } from './dashboard/assets.ts'
import { makeCardLists, type CardLists } from './dashboard/cards.ts'
import { makeDashboard, type Dashboard } from './dashboard/dashboard.ts'
import { makeDashboardDoor } from './dashboard/door.ts'
import { dashboardFigures } from './dashboard/figures.ts'
import { makeDashboardGate } from './dashboard/gate.ts'
import { makePasswords } from './dashboard/passwords.ts'
import type { DashboardParts } from './dashboard/parts.ts'
import { CannotGoOn } from './exits.ts'
import { proxiesOf } from './figures.ts'
import { makeRoad, type RoadParts } from './rpc/answer.ts'

/** What the grid needs for the dashboard's methods. */
export interface DashboardSide {
  readonly dashboard: Dashboard
  readonly cardLists: CardLists
}

/** The dashboard's nouns, with the sandbox's login where there is a sandbox. */
export async function makeDashboardSide(
  parts: Omit<DashboardParts, 'figures' | 'passwords'>,
  { sandbox }: Pick<Adapters, 'sandbox'>,
): Promise<DashboardSide> {
  const dashboard = makeDashboard({ ...parts, figures: dashboardFigures, passwords: makePasswords() })
  if (sandbox !== null) {
    const { merchantId, dashboardPhone: phone, dashboardPassword: password } = sandbox.demo
    await dashboard.ensureLogin({ merchantId, phone, password })
  }
  return { dashboard, cardLists: makeCardLists(parts.store) }
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
