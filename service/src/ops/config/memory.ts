import type { Setting } from './values.ts'

/** The settings of memory that is held for clients, and of overload (docs/decisions/0043-memory-and-overload.md). */
export const memorySettings = [
  {
    name: 'bufferedMegabytesMax',
    env: 'TESSERA_BUFFERED_MEGABYTES_MAX',
    flag: '--buffered-megabytes-max',
    type: 'integer',
    from: 1,
    to: 65_536,
    default: 64,
    meaning:
      'Most memory that is held for clients: bodies that arrive, calls in progress, and replies that were not read. Beyond it requests are refused with retry_after, and the connections with the most unread replies are closed.',
    source: 'with the rest of the service it stays below 512 MB: fault experiment memory-limit',
  },
  {
    name: 'addressBufferedMegabytesMax',
    env: 'TESSERA_ADDRESS_BUFFERED_MEGABYTES_MAX',
    flag: '--address-buffered-megabytes-max',
    type: 'integer',
    from: 1,
    to: 65_536,
    default: 16,
    meaning: 'The same for one client address (IPv6: /64); further requests from it are refused with retry_after.',
    source: 'a quarter of bufferedMegabytesMax',
  },
  {
    name: 'connectionBufferedKilobytesMax',
    env: 'TESSERA_CONNECTION_BUFFERED_KILOBYTES_MAX',
    flag: '--connection-buffered-kilobytes-max',
    type: 'integer',
    from: 128,
    to: 1_048_576,
    default: 1024,
    meaning: 'The same for one connection; further requests on it are refused with retry_after, and it is closed when there are many.',
    source: 'some hundred requests in progress, or the longest list of receipts',
  },
  {
    name: 'replyStallSeconds',
    env: 'TESSERA_REPLY_STALL_SECONDS',
    flag: '--reply-stall-seconds',
    type: 'integer',
    from: 1,
    to: 600,
    default: 10,
    meaning: 'How long a client may read nothing of a reply that waits for it; its connection is closed then.',
    source: 'as long as a whole request may take to arrive',
  },
  {
    name: 'commitWaitMs',
    env: 'TESSERA_COMMIT_WAIT_MS',
    flag: '--commit-wait-ms',
    type: 'integer',
    from: 1,
    to: 600_000,
    default: 500,
    meaning:
      'How long writes of all workers may wait for the store while more than 32 do; beyond it calls that change something are refused at once, with retry_after. One caller may have half of these places, and a quarter while others call.',
    source: 'half of the second in which a client expects a reply',
  },
] as const satisfies readonly Setting[]
