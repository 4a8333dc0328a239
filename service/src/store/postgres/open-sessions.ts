import type { SeenPrimary } from './fence.ts'
import { isOlder } from './fence.ts'
import type { Session } from './session.ts'

/** The sessions with a primary, so that those with one that is no longer followed can be ended. */
export interface OpenSessions {
  add(session: Session, of: OpenedFrom): void
  /** Ends the sessions with another server, and those that were opened before an older primary was replaced. */
  endOthers(than: OpenedFrom): void
  /** Ends the sessions with a primary that is older than this one. */
  endOlder(than: SeenPrimary): void
  endAll(): void
}

export interface OpenedFrom extends SeenPrimary {
  readonly host: string
  /** When the server was started: two names of one server have the same. */
  readonly startedAt: string
}

export function makeOpenSessions(): OpenSessions {
  let opened: { readonly session: Session; readonly of: OpenedFrom }[] = []
  return { add, endOthers, endOlder: (than) => end((of) => isReplaced(of, than)), endAll: () => end(() => true) }

  function add(session: Session, of: OpenedFrom): void {
    opened = opened.filter((each) => each.session.usable)
    opened.push({ session, of })
  }

  function endOthers(than: OpenedFrom): void {
    const isAnother = (of: OpenedFrom): boolean => of.host !== than.host && of.startedAt !== than.startedAt
    end((of) => isAnother(of) || of.timeline < than.timeline || isReplaced(of, than))
  }

  /** Its first row gives a server an epoch; it is the same server. */
  function isReplaced(of: SeenPrimary, by: SeenPrimary): boolean {
    return of.epoch > 0 && isOlder(of, by)
  }

  function end(isOver: (of: OpenedFrom) => boolean): void {
    for (const { session, of } of opened) if (session.usable && isOver(of)) session.destroy()
    opened = opened.filter(({ session }) => session.usable)
  }
}
