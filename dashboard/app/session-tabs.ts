import { noteSessionCall, onSessionCall } from './session-state.ts'

/** The tabs of one browser share a session: a call of any of them keeps it, and the others must know. */
export function shareSessionCalls(): void {
  const channel = new BroadcastChannel('tessera.session')
  let toldAt = -tellEveryMs
  onSessionCall(() => {
    if (performance.now() - toldAt < tellEveryMs) return
    toldAt = performance.now()
    channel.postMessage('called')
  })
  channel.addEventListener('message', () => noteSessionCall({ isOfOtherTab: true }))
}

/** Much shorter than the notice before the end of a session. */
const tellEveryMs = 5000
