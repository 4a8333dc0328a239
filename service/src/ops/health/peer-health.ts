/** Whether an external system answers, by the outcomes of the service's own calls. Nothing is asked of it for this. */
export interface PeerHealth {
  /** Records whether a call got an answer; a refusal is one. */
  record(isAnswered: boolean): void
  /** Calls without an answer since the last that got one; null when that are fewer than five. */
  unansweredCount(): number | null
}

export function makePeerHealth(): PeerHealth {
  let unanswered = 0
  return Object.freeze({
    record: (isAnswered: boolean) => void (unanswered = isAnswered ? 0 : unanswered + 1),
    unansweredCount: () => (unanswered >= unansweredMin ? unanswered : null),
  })
}

/** One lost reply is no outage. */
const unansweredMin = 5
