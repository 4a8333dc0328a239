import { maskPhone } from '@tessera/contract/card'
import { RpcError } from '@tessera/contract/errors'
import type { Result } from '@tessera/contract/operations'
import {
  dashboardPasskeysAddContract,
  dashboardPasskeysBeginContract,
  dashboardPasskeysListContract,
  dashboardPasskeysRemoveContract,
  dashboardPasskeysRenameContract,
  dashboardPasswordChangeContract,
  dashboardRecoveryCodesGetContract,
  dashboardRecoveryCodesRenewContract,
  dashboardSessionConfirmBeginContract,
  dashboardSessionConfirmContract,
  dashboardSessionPasskeyChallengeContract,
  dashboardSessionSignInByPasskeyContract,
  dashboardSessionGetContract,
  dashboardSessionListContract,
  dashboardSessionSignInContract,
  dashboardSessionSignOutContract,
  dashboardSessionSignOutEverywhereContract,
  dashboardTotpBeginContract,
  dashboardTotpConfirmContract,
  dashboardTotpRemoveContract,
} from '@tessera/contract/operations/dashboard-session'

import type { RequestContext } from '../domain/request-context.ts'
import type { SignInCookies } from '../domain/users/dashboard.ts'
import type { SignInRequest } from '../domain/users/sign-in.ts'

import { operation } from './operation.ts'
import { dashboardBrowser, signedInActor } from './dashboard-caller.ts'

/** Signs in. The session id is returned only in the cookie. */
export const dashboardSessionSignIn = operation(dashboardSessionSignInContract, {
  async run({ phone, password, code = null, passkey = null, proof = null }, ctx, { dashboard }) {
    return setSession(await dashboard.signIn({ phone, password, code, passkey, proof, ...signInOrigin(ctx) }), ctx)
  },
})

/** Returns a challenge for signing in by a passkey. */
export const dashboardSessionPasskeyChallenge = operation(dashboardSessionPasskeyChallengeContract, {
  async run(_params, ctx, { dashboard }) {
    return { passkey: await dashboard.requestPasskey(dashboardBrowser(ctx).origin) }
  },
})

/** Signs in by a passkey. */
export const dashboardSessionSignInByPasskey = operation(dashboardSessionSignInByPasskeyContract, {
  async run({ passkey, code = null, password = null }, ctx, { dashboard }) {
    return setSession(await dashboard.signInByPasskey({ passkey, code, password, ...signInOrigin(ctx) }), ctx)
  },
})

/** Returns by what the user can confirm who they are. */
export const dashboardSessionConfirmBegin = operation(dashboardSessionConfirmBeginContract, {
  run: (_params, ctx, { dashboard }) =>
    dashboard.users.listConfirmationMethods({ own: signedInActor(ctx), origin: dashboardBrowser(ctx).origin }),
})

/** Confirms who the user is, for some minutes of this session. */
export const dashboardSessionConfirm = operation(dashboardSessionConfirmContract, {
  async run({ password, code, passkey }, ctx, { dashboard }) {
    const proofs = [
      ...(password === undefined ? [] : [{ password }]),
      ...(code === undefined ? [] : [{ code }]),
      ...(passkey === undefined ? [] : [{ passkey }]),
    ]
    const [proof] = proofs
    if (proof === undefined) throw new RpcError('memberMissing', { data: 'password' })
    if (proofs.length > 1) throw new RpcError('memberInvalid', { data: 'password' })
    const context = { own: signedInActor(ctx), origin: dashboardBrowser(ctx).origin }
    return { validUntil: await dashboard.users.confirm(proof, context) }
  },
})

/** Returns the signed-in user, with the CSRF token, which only a page of this origin can read. */
export const dashboardSessionGet = operation(dashboardSessionGetContract, {
  async run(_params, ctx, { dashboard, merchants, controls }) {
    const live = await dashboard.sessions.find(dashboardBrowser(ctx).cookie)
    if (live === null) return { session: null }
    const { session, user, mustAddSecondFactor } = live
    const { userId, merchantId, role, mustChange, totp } = user
    const merchant = await merchants.find(merchantId)
    return {
      session: {
        csrf: session.csrf,
        userId,
        phone: maskPhone(user.phone),
        role,
        merchantId,
        merchantName: merchant?.row.name ?? '',
        environment: dashboard.environment === 'production' ? 'production' : 'test',
        mustChangePassword: mustChange,
        totp: totp !== null,
        mustAddSecondFactor,
        clockOffsetMs: controls?.offsetMs() ?? 0,
        lifetime: dashboard.sessions.lifetimeOf(session),
      },
    }
  },
})

/** Ends this session, or another one of the same user. */
export const dashboardSessionSignOut = operation(dashboardSessionSignOutContract, {
  async run({ sessionId }, ctx, { dashboard }) {
    const own = signedInActor(ctx)
    const ended = await dashboard.sessions.end(own, sessionId ?? own.sessionId)
    if ((sessionId ?? own.sessionId) === own.sessionId) dashboardBrowser(ctx).setCookie(null)
    return { success: ended > 0 }
  },
})

/** Ends every session of the user, including this one. */
export const dashboardSessionSignOutEverywhere = operation(dashboardSessionSignOutEverywhereContract, {
  async run(_params, ctx, { dashboard }) {
    const ended = await dashboard.sessions.end(signedInActor(ctx), null)
    dashboardBrowser(ctx).setCookie(null)
    return { ended }
  },
})

/** Lists the user's live sessions. */
export const dashboardSessionList = operation(dashboardSessionListContract, {
  async run(_params, ctx, { dashboard }) {
    const own = signedInActor(ctx)
    const live = await dashboard.sessions.list(own.userId)
    return {
      sessions: live.map(({ sessionId, createdAt, lastSeenAt, userAgent, address }) => {
        return { sessionId, current: sessionId === own.sessionId, createdAt, lastSeenAt, userAgent, address }
      }),
    }
  },
})

/** Changes the user's own password. */
export const dashboardPasswordChange = operation(dashboardPasswordChangeContract, {
  async run({ password, newPassword }, ctx, { dashboard }) {
    const user = await dashboard.users.changePassword(signedInActor(ctx), password, newPassword)
    // A new password makes all devices unknown; this one has just shown the former.
    const device = await dashboard.devices.remember(user, null)
    if (device !== null) dashboardBrowser(ctx).setDevice(device)
    return { success: true }
  },
})

/** Creates a secret for an authenticator app. */
export const dashboardTotpBegin = operation(dashboardTotpBeginContract, {
  async run({ password }, ctx, { dashboard }) {
    const own = signedInActor(ctx)
    const secret = await dashboard.users.beginTotp(own, password)
    const label = encodeURIComponent(`Tessera ${dashboard.environment}:${own.userId.slice(-6)}`)
    return { secret, uri: `otpauth://totp/${label}?secret=${secret}&issuer=Tessera` }
  },
})

/** Enables the second factor. */
export const dashboardTotpConfirm = operation(dashboardTotpConfirmContract, {
  async run({ code }, ctx, { dashboard }) {
    return { recoveryCodes: [...((await dashboard.users.confirmTotp(signedInActor(ctx), code)) ?? [])] }
  },
})

/** Disables the second factor. */
export const dashboardTotpRemove = operation(dashboardTotpRemoveContract, {
  async run({ password }, ctx, { dashboard }) {
    await dashboard.users.removeTotp(signedInActor(ctx), password)
    return { success: true }
  },
})

/** Returns how many recovery codes the user has left. */
export const dashboardRecoveryCodesGet = operation(dashboardRecoveryCodesGetContract, {
  async run(_params, ctx, { dashboard }) {
    return { left: await dashboard.users.countRecoveryCodes(signedInActor(ctx)) }
  },
})

/** Creates ten recovery codes in place of the earlier ones. */
export const dashboardRecoveryCodesRenew = operation(dashboardRecoveryCodesRenewContract, {
  async run(_params, ctx, { dashboard }) {
    return { recoveryCodes: [...(await dashboard.users.renewRecoveryCodes(signedInActor(ctx)))] }
  },
})

/** Lists the user's passkeys. */
export const dashboardPasskeysList = operation(dashboardPasskeysListContract, {
  async run(_params, ctx, { dashboard }) {
    const passkeys = await dashboard.users.listPasskeys(signedInActor(ctx))
    return {
      passkeys: passkeys.map(({ passkeyId, name, isSynced, createdAt, lastUsedAt }) => {
        return { passkeyId, name, isSynced, createdAt, lastUsedAt: lastUsedAt === 0 ? null : lastUsedAt }
      }),
    }
  },
})

/** Returns what the browser needs to create a passkey. */
export const dashboardPasskeysBegin = operation(dashboardPasskeysBeginContract, {
  run: (_params, ctx, { dashboard }) => dashboard.users.beginPasskey(signedInActor(ctx), dashboardBrowser(ctx).origin),
})

/** Registers a passkey. */
export const dashboardPasskeysAdd = operation(dashboardPasskeysAddContract, {
  async run(created, ctx, { dashboard }) {
    const { passkey, recoveryCodes } = await dashboard.users.addPasskey(signedInActor(ctx), created, dashboardBrowser(ctx).origin)
    return { passkeyId: passkey.passkeyId, isSynced: passkey.isSynced, recoveryCodes: [...(recoveryCodes ?? [])] }
  },
})

/** Gives a passkey another name. */
export const dashboardPasskeysRename = operation(dashboardPasskeysRenameContract, {
  async run(of, ctx, { dashboard }) {
    await dashboard.users.renamePasskey(signedInActor(ctx), of)
    return { success: true }
  },
})

/** Removes a passkey. */
export const dashboardPasskeysRemove = operation(dashboardPasskeysRemoveContract, {
  async run({ passkeyId }, ctx, { dashboard }) {
    await dashboard.users.removePasskey(signedInActor(ctx), passkeyId)
    return { success: true }
  },
})

function signInOrigin(ctx: RequestContext) {
  const { userAgent, origin, device, left: signal } = dashboardBrowser(ctx)
  return { userAgent, origin, device, signal, address: ctx.address, requestId: ctx.requestId }
}

/** Session and device are returned only in cookies. */
function setSession(signed: SignInRequest | SignInCookies, ctx: RequestContext): Result<'dashboard.session.signIn'> {
  if ('needs' in signed) return signed
  dashboardBrowser(ctx).setCookie(signed.session)
  if (signed.device !== null) dashboardBrowser(ctx).setDevice(signed.device)
  return { needs: null, passkey: null }
}
