import type { SeenPrimary } from './fence.ts'
import { isOlder } from './fence.ts'
import type { Session } from './session.ts'

/** The sessions with a primary, so that those with one that is no longer followed can be ended. */
export interface OpenSessions {
  add(session: Session, of: OpenedFrom): void
  /** Ends the sessions with another host, and those that were opened before an older primary was replaced. */
  endOthers(than: OpenedFrom): void
  endAll(): void
}

export interface OpenedFrom extends SeenPrimary {
  readonly host: string
}

export function makeOpenSessions(): OpenSessions {
  let opened: { readonly session: Session; readonly of: OpenedFrom }[] = []
  return { add, endOthers, endAll: () => end(() => true) }

  function add(session: Session, of: OpenedFrom): void {
    opened = opened.filter((each) => each.session.usable)
    opened.push({ session, of })
  }

  function endOthers(than: OpenedFrom): void {
    // Its first row gives a server an epoch; it is the same server.
    end(({ host, epoch, timeline }) => host !== than.host || timeline < than.timeline || (epoch > 0 && isOlder({ epoch, timeline }, than)))
  }

  function end(isOver: (of: OpenedFrom) => boolean): void {
    for (const { session, of } of opened) if (session.usable && isOver(of)) session.destroy()
    opened = opened.filter(({ session }) => session.usable)
  }
}
