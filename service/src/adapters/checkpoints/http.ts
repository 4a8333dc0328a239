import type { HttpPost } from '../http/http-post.ts'

import { CheckpointNotSent, type CheckpointDestination } from './checkpoint-destination.ts'

/** Posts each checkpoint as a JSON body to the URL of the settings. Any status of the 2xx class means that it was taken. */
export function makeCheckpointHttp(url: URL, post: HttpPost): CheckpointDestination {
  return Object.freeze<CheckpointDestination>({
    name: 'http',
    async send(line, signal) {
      const reply = await post({ url, headers: {}, body: line }, signal)
      if (reply.outcome !== 'responded') throw new CheckpointNotSent(`the server did not reply (${reply.outcome})`)
      if (reply.status < 200 || reply.status > 299) throw new CheckpointNotSent(`the server replied with HTTP ${reply.status}`)
    },
  })
}
