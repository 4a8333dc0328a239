// Cases of database-writer: users, sessions, the form, codes, consents and scripts.
import { createHash } from 'node:crypto'
import { panWithNetworkOtp, panWithOurOtp, testOtp } from './load.ts'
import { drawIdBeside, resultOf, type WriterTarget } from './database-writer-target.ts'
import {
  type CaseTarget,
  type WriterCase,
  newCard,
  newMerchant,
  judge,
  judgeDashboard,
  judgeSignIn,
  missingIfRefused,
  signedIn,
  unquote,
} from './writer-rows.ts'
import { selectOne, type StoredColumns } from './second-connection.ts'

export async function changeUserCase(target: WriterTarget): Promise<CaseTarget> {
  const { session, userKey } = await signedIn(target)
  const row = await selectOne(target.db, 'dashboard_users', userKey)
  return {
    write: () => target.db.update('dashboard_users', userKey, { role: 'read' }),
    use: async () => judgeDashboard(await session.call('dashboard.cards.list', {})),
    undo: () => target.db.putBack('dashboard_users', userKey, [row]),
  }
}

export async function insertUserCase(target: WriterTarget): Promise<CaseTarget> {
  const { userKey } = await signedIn(target)
  const row = await selectOne(target.db, 'dashboard_users', userKey)
  const copy = { ...row, user_id: drawIdBeside(String(row['user_id'])), phone: '998900000017' }
  return {
    write: () => target.db.insert('dashboard_users', copy),
    use: async () => judgeSignIn(await target.signIn({ phone: copy.phone, password: target.login.password })),
  }
}

export async function deleteUserCase(target: WriterTarget): Promise<CaseTarget> {
  const { session, userKey } = await signedIn(target)
  const row = await selectOne(target.db, 'dashboard_users', userKey)
  return {
    write: () => target.db.remove('dashboard_users', userKey),
    use: async () => missingIfRefused(judgeDashboard(await session.call('dashboard.cards.list', {}))),
    undo: () => target.db.putBack('dashboard_users', userKey, [row]),
  }
}

export async function putBackUserCase(target: WriterTarget): Promise<CaseTarget> {
  const phone = '998900000018'
  const { userId, password } = await target.tessera(['dashboard', 'users', 'create', target.merchantId, `--phone=${phone}`])
  const key = { user_id: String(userId) }
  const row = await selectOne(target.db, 'dashboard_users', key)
  await target.tessera(['dashboard', 'users', 'block', target.merchantId, String(userId)])
  return {
    write: () => target.db.putBack('dashboard_users', key, [row]),
    use: async () => judgeSignIn(await target.signIn({ phone, password: String(password) })),
  }
}

export async function changeSessionCase(target: WriterTarget): Promise<CaseTarget> {
  const { session, key } = await signedIn(target)
  return {
    write: () => target.db.update('dashboard_sessions', key, { created_at: 4e12, last_seen_at: 4e12 }),
    use: async () => judgeDashboard(await session.call('dashboard.cards.list', {})),
  }
}

/** The owner is a user of another merchant. */
export async function exchangeSessionCase(target: WriterTarget): Promise<CaseTarget> {
  const { session, key } = await signedIn(target)
  const { id } = await newMerchant(target)
  const { userId } = await target.tessera(['dashboard', 'users', 'create', id, '--phone=998900000019'])
  return {
    write: () => target.db.update('dashboard_sessions', key, { user_id: String(userId), merchant_id: id }),
    use: async () => judgeDashboard(await session.call('dashboard.session.list', {}), 'password_must_change'),
  }
}

export async function deleteSessionCase(target: WriterTarget): Promise<CaseTarget> {
  const { session, key } = await signedIn(target)
  return {
    write: () => target.db.remove('dashboard_sessions', key),
    use: async () => missingIfRefused(judgeDashboard(await session.call('dashboard.cards.list', {}))),
  }
}

export async function putBackSessionCase(target: WriterTarget): Promise<CaseTarget> {
  const { session, key } = await signedIn(target)
  const row = await selectOne(target.db, 'dashboard_sessions', key)
  const other = await signedIn(target)
  const ended = await other.session.call('dashboard.session.signOut', { sessionId: session.sessionId })
  if ('reason' in ended) throw new Error(`the session was not ended: ${ended.reason}`)
  return {
    write: () => target.db.putBack('dashboard_sessions', key, [row]),
    use: async () => judgeDashboard(await session.call('dashboard.cards.list', {})),
  }
}

export function changeFormSessionCase(values: StoredColumns, outcome: 'refused' | 'missing'): WriterCase['arrange'] {
  return async (target) => {
    const { session } = resultOf(await target.api.call('form.sessions.create', { origin: 'https://shop.example', save: 'ask' }))
    const key = { session_id: String(session).slice(0, 24) }
    return {
      id: key.session_id,
      write: () => target.db.update('form_sessions', key, values),
      use: async () => {
        const result = judge(await target.api.call('form.sessions.get', { session }))
        return outcome === 'missing' ? missingIfRefused(result) : result
      },
    }
  }
}

async function requestCode(target: WriterTarget, pan?: string): Promise<{ token: string; key: StoredColumns }> {
  const card = await newCard(target, pan)
  resultOf(await target.api.requestCode(card.token))
  return card
}

export async function changeCodeCase(target: WriterTarget): Promise<CaseTarget> {
  const { token, key } = await requestCode(target, panWithOurOtp)
  return {
    write: () => target.db.update('verifications', key, { otp_hash: new Uint8Array(32) }),
    use: async () => judge(await target.api.verify(token, testOtp)),
  }
}

export async function exchangeCodesCase(target: WriterTarget): Promise<CaseTarget> {
  const [own, victim] = [await requestCode(target, panWithOurOtp), await requestCode(target, panWithOurOtp)]
  const row = await selectOne(target.db, 'verifications', own.key)
  return {
    write: () => target.db.putBack('verifications', victim.key, [{ ...row, ...victim.key }]),
    use: async () => judge(await target.api.verify(victim.token, testOtp)),
  }
}

export async function deleteCodeCase(target: WriterTarget): Promise<CaseTarget> {
  const { token, key } = await requestCode(target)
  return {
    write: () => target.db.remove('verifications', key),
    use: async () => missingIfRefused(judge(await target.api.verify(token, testOtp))),
  }
}

/** Ten wrong codes: five are evaluated, and then not even the right one. */
export async function resetAttemptsCase(target: WriterTarget): Promise<CaseTarget> {
  const { token, key } = await requestCode(target, panWithOurOtp)
  return {
    write: () => target.db.update('verifications', key, { tries: 0 }),
    async use() {
      let evaluated = 0
      for (let guess = 0; guess < 10; guess++) {
        await target.db.update('verifications', key, { tries: 0, open: 1 })
        const outcome = await target.api.verify(token, String(100_000 + guess))
        if (outcome.kind === 'refused' && outcome.reason === 'wrong_code') evaluated++
      }
      await target.db.update('verifications', key, { tries: 0, open: 1 })
      const { isAccepted, reply } = judge(await target.api.verify(token, testOtp))
      return { isAccepted: isAccepted || evaluated > 5, reply: `${reply}, ${evaluated} evaluated` }
    },
  }
}

/** One code a minute and card number: the second is refused although the first is no longer counted. */
export async function resetSendsCase(target: WriterTarget): Promise<CaseTarget> {
  await target.tessera(['sandbox', 'limits', 'on'])
  const { token } = await newCard(target)
  resultOf(await target.api.requestCode((await newCard(target)).token))
  return {
    async write() {
      for (const { key_id: keyId = '', scope = '', subject = '' } of await target.db.select('send_limits', { scope: 'pan' }))
        await target.db.remove('send_limits', { key_id: keyId, scope, subject })
    },
    use: async () => judge(await target.api.requestCode(token)),
    async undo() {
      await target.tessera(['sandbox', 'limits', 'off'])
    },
  }
}

export async function insertDisclosureCase(target: WriterTarget): Promise<CaseTarget> {
  const [row] = await target.db.select('disclosures', {})
  if (row === undefined) throw new Error('no disclosure is stored')
  const text = 'We sell your data.'
  const sha256 = createHash('sha256').update(text).digest('hex')
  const [version, locale] = [String(row['version']), String(row['locale'])]
  const consent = { version: unquote(version), locale: unquote(locale), sha256, at: Date.now() }
  return {
    write: () => target.db.insert('disclosures', { ...row, sha256, wording: JSON.stringify(text) }),
    use: async () =>
      judge(await target.api.call('cards.create', { card: { number: panWithNetworkOtp, expire: '0399' }, save: true, consent })),
  }
}

export async function changeScriptCase(target: WriterTarget): Promise<CaseTarget> {
  const { session } = await signedIn(target)
  const html = '<!doctype html><div id="card"></div><script src="https://form.example/sdk/v1/tessera.js"></script>'
  const checked = await session.call('dashboard.pageCheck.run', { html, locale: 'en' })
  if ('reason' in checked) throw new Error(`the page was not checked: ${checked.reason}`)
  const row = await selectOne(target.db, 'page_scripts', { merchant_id: target.merchantId })
  const key = { script_id: row['script_id'] ?? '' }
  return {
    write: () => target.db.update('page_scripts', key, { judged: 'authorised', judged_print: row['print'] ?? '', judged_at: 1 }),
    async use() {
      const reply = await session.call('dashboard.scripts.list', {})
      const [script] = 'result' in reply ? (reply.result['scripts'] as { decision: string; isChanged: boolean }[]) : []
      if (script === undefined) return { isAccepted: true, reply: 'not listed' }
      return { isAccepted: script.decision === 'authorised', reply: `listed as ${script.decision}${script.isChanged ? ', changed' : ''}` }
    },
  }
}
