import type { Result } from '@tessera/contract/methods'

import type { InventoryScript, PageCheck } from '../page-check/page-check.ts'

import { maskPhone } from './mask-phone.ts'
import type { Row } from './method.ts'

/** Lists the inventory of the merchant's scripts. */
export function dashboardScriptsList(check: PageCheck): Row<'dashboard.scripts.list'>['run'] {
  return async (_params, { caller }) => ({ scripts: (await check.scripts(caller)).map(show) })
}

function show(script: InventoryScript): Result<'dashboard.scripts.list'>['scripts'][number] {
  const { scriptId, page, address, print, integrity, party, firstAt, lastAt, isGone, judged, isChanged, reason } = script
  return {
    ...{ scriptId, page, address, print, integrity, party, firstAt, lastAt, isGone, judged, isChanged, reason },
    judgedBy: script.judgedByPhone === null ? null : maskPhone(script.judgedByPhone),
    judgedAt: script.judgedAt === 0 ? null : script.judgedAt,
  }
}
