import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'

import { controlSocketName } from './control-wire.ts'

/** A path that reaches the control socket of a data folder; `release` when it is not needed any more. */
export interface ControlPath {
  readonly path: string
  release(): void
}

/**
 * A socket's path has room for 107 bytes (sun_path, unix(7)); longer ones would be cut off in silence. On Linux a long folder is reached by
 * an open descriptor of it, whose name under /proc is short; elsewhere null.
 */
export function controlPathOf(folder: string): ControlPath | null {
  const path = join(folder, controlSocketName)
  if (Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX) return { path, release: () => undefined }
  if (process.platform !== 'linux') return null
  const descriptor = openSync(folder, 'r')
  return { path: `/proc/self/fd/${String(descriptor)}/${controlSocketName}`, release: () => closeSync(descriptor) }
}

/** 107 on Linux, 103 on BSD and macOS. */
const SOCKET_PATH_BYTES_MAX = process.platform === 'linux' ? 107 : 103
