/** How long a session lasts, as the service said when it was loaded, and when that was; milliseconds. */
export interface SessionLifetime {
  /** Without a call. */
  readonly idleMs: number
  /** In any case, from `loadedAt` on. */
  readonly leftMs: number
  readonly loadedAt: number
  readonly lastCallAt: number
}

/** `idle`: a call keeps it. `final`: nothing does. */
export interface SessionEnd {
  readonly kind: 'idle' | 'final'
  readonly inMs: number
}

/** When and why the session ends next; null while that is more than two minutes away. */
export function findSessionEnd({ idleMs, leftMs, loadedAt, lastCallAt }: SessionLifetime, now: number): SessionEnd | null {
  const finalMs = loadedAt + leftMs - now
  const idleLeftMs = lastCallAt + idleMs - now
  const end: SessionEnd = finalMs <= idleLeftMs ? { kind: 'final', inMs: finalMs } : { kind: 'idle', inMs: idleLeftMs }
  return end.inMs <= noticeMs ? { ...end, inMs: Math.max(0, end.inMs) } : null
}

/** Whether somebody who types should keep the session: they typed lately, and it would be announced within the next minutes. */
export function shouldKeepSession(lifetime: SessionLifetime, lastInputAt: number, now: number): boolean {
  const idleLeftMs = lifetime.lastCallAt + lifetime.idleMs - now
  return now - lastInputAt < typingMs && idleLeftMs > 0 && idleLeftMs < noticeMs + keepMs
}

const noticeMs = 2 * 60_000
const typingMs = 60_000
const keepMs = 3 * 60_000
