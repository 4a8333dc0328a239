import { maskPhone } from '@tessera/contract/card'
import {
  dashboardPasswordChangeContract,
  dashboardSessionGetContract,
  dashboardSessionListContract,
  dashboardSessionSignInContract,
  dashboardSessionSignOutContract,
  dashboardSessionSignOutEverywhereContract,
  dashboardTotpBeginContract,
  dashboardTotpConfirmContract,
  dashboardTotpRemoveContract,
} from '@tessera/contract/operations/dashboard-session'

import { operation } from './operation.ts'
import { dashboardBrowser, signedInActor } from './dashboard-caller.ts'

/** Signs in. The session id is returned only in the cookie. */
export const dashboardSessionSignIn = operation(dashboardSessionSignInContract, {
  async run({ phone, password, code = null }, ctx, { dashboard }) {
    const browser = dashboardBrowser(ctx)
    const { address, requestId } = ctx
    const signed = await dashboard.signIn({ phone, password, code, userAgent: browser.userAgent, address, requestId })
    if ('needs' in signed) return signed
    browser.setCookie(signed.session)
    return { needs: null }
  },
})

/** Returns the signed-in user, with the CSRF token, which only a page of this origin can read. */
export const dashboardSessionGet = operation(dashboardSessionGetContract, {
  async run(_params, ctx, { dashboard, merchants, controls }) {
    const live = await dashboard.sessions.find(dashboardBrowser(ctx).cookie)
    if (live === null) return { session: null }
    const { session, user } = live
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
        clockOffsetMs: controls?.offsetMs() ?? 0,
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
    await dashboard.users.changePassword(signedInActor(ctx), password, newPassword)
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
    await dashboard.users.confirmTotp(signedInActor(ctx), code)
    return { success: true }
  },
})

/** Disables the second factor. */
export const dashboardTotpRemove = operation(dashboardTotpRemoveContract, {
  async run({ password, code }, ctx, { dashboard }) {
    await dashboard.users.removeTotp(signedInActor(ctx), password, code)
    return { success: true }
  },
})
