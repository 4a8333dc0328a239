/** A place outside of the database to which signed checkpoints of the audit are exported. */
export interface CheckpointDestination {
  /** In the log and in metrics. */
  readonly name: CheckpointDestinationName
  /** Resolves when the destination has the line, as far as its protocol can say; rejects when it does not. The line has no line end. */
  send(line: string, signal: AbortSignal): Promise<void>
  /** The newest lines that the destination has, oldest first; only a file can be read. */
  readonly readLast?: () => Promise<readonly string[]>
}

export type CheckpointDestinationName = 'file' | 'syslog' | 'http'

/** A destination that did not take a checkpoint. The message contains no address and no reply. */
export class CheckpointNotSent extends Error {
  override readonly name = 'CheckpointNotSent'
}
