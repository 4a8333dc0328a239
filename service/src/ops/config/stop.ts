import type { Setting } from './values.ts'

/** How long a stop takes, and what it still does. */
export const stopSettings = [
  {
    name: 'drainSeconds',
    env: 'TESSERA_DRAIN_SECONDS',
    flag: '--drain-seconds',
    type: 'integer',
    from: 1,
    to: 300,
    default: 15,
    meaning: 'How long a stop waits for calls in progress.',
    source: 'longer than networkTimeoutMs, shorter than the 30 s after which orchestrators kill',
  },
  {
    name: 'lameDuckSeconds',
    env: 'TESSERA_LAME_DUCK_SECONDS',
    flag: '--lame-duck-seconds',
    type: 'integer',
    from: 0,
    to: 300,
    default: null,
    meaning:
      'How long the service still accepts and handles calls after SIGTERM, while /readyz is 503 and each reply closes its connection, before drainSeconds begin. By default 5 in production and 0 in test.',
    source: 'longer than a load balancer takes to notice; 5 s and drainSeconds stay below the 30 s of orchestrators',
  },
] as const satisfies readonly Setting[]
