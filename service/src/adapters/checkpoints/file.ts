import { open } from 'node:fs/promises'

import type { CheckpointDestination } from './checkpoint-destination.ts'

/** Appends each checkpoint to a file, a line each. The file is opened for each line, so that it may be moved away at any time. */
export function makeCheckpointFile(path: string): CheckpointDestination {
  return Object.freeze<CheckpointDestination>({
    name: 'file',
    async send(line) {
      const file = await open(path, 'a', 0o600)
      try {
        await file.appendFile(`${line}\n`)
        await file.datasync()
      } finally {
        await file.close()
      }
    },
    readLast: () => readLast(path),
  })
}

async function readLast(path: string): Promise<readonly string[]> {
  const file = await open(path, 'r').catch((err: unknown) => {
    if ((err as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw err
  })
  if (file === null) return []
  try {
    const { size } = await file.stat()
    const from = Math.max(0, size - lastBytesMax)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
    const lines = buffer.subarray(0, bytesRead).toString().split('\n')
    // Without the beginning of the file, the first line is a part of one.
    return (from > 0 ? lines.slice(1) : lines).filter((line) => line !== '')
  } finally {
    await file.close()
  }
}

/** Some hundred checkpoints. */
const lastBytesMax = 256 * 1024
