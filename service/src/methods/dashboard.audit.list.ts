import type { Result } from '@tessera/contract/methods'

import type { Deed, Deeds } from '../dashboard/deeds.ts'

import { readPlace, writePlace } from './keyset.ts'
import { maskPhone } from './mask-phone.ts'
import type { Row } from './method.ts'

/** Lists who did what for the caller's merchant. */
export function dashboardAuditList(deeds: Deeds): Row<'dashboard.audit.list'>['run'] {
  return async ({ after, count = 25, subject = null }, { caller }) => {
    const page = await deeds.list(caller.merchantId, subject, { after: readPlace(after), count })
    return { entries: page.deeds.map(showDeed), next: writePlace(page.next) }
  }
}

type Shown = Result<'dashboard.audit.list'>['entries'][number]

function showDeed({ entry, userId, phone }: Deed): Shown {
  const { at, action, subject, outcome, requestId, hash } = entry
  return {
    at,
    actor: kindOf(entry.actor),
    userId,
    phone: phone === null ? null : maskPhone(phone),
    action,
    subject,
    outcome,
    requestId,
    proof: Buffer.from(hash).toString('hex'),
  }
}

function kindOf(actor: string): Shown['actor'] {
  const [kind] = actor.split(':')
  return kind === 'user' || kind === 'operator' || kind === 'visitor' || kind === 'merchant' ? kind : 'system'
}
