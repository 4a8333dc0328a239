import type { RequestSegment, SegmentDeletion } from './request-segments.ts'
import type { Read } from './transaction.ts'

/**
 * Where the request log is: apart from what must not be lost. A crash of the machine may lose the last second of it, a damaged one is set aside, and
 * neither stops the service. Every process can read it. Errors of a write are those of `Store`.
 */
export interface RequestLogStore {
  /** The file of the embedded one; null on PostgreSQL. */
  readonly file: string | null
  append(segments: readonly RequestSegment[]): Promise<void>
  /** Never in the thread that answers requests. */
  read<T>(query: Read<T>): Promise<T>
  /** Deletes one page of segments. Returns how many calls were in them; 0 when nothing is left. */
  deletePage(deletion: SegmentDeletion): Promise<number>
  /** Deletes the calls before a time, by whole segments or partitions. Returns how many calls, or how many partitions. */
  deleteBefore(at: number, stopping: AbortSignal): Promise<number>
  close(): Promise<void>
}

/** A database of the request log that was damaged and is no longer used. */
export interface DamagedRequestLog {
  /** Where its file is now. */
  readonly file: string
  readonly cause: Error
}
