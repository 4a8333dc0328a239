import { relative, resolve } from 'node:path'

import { ExitError } from './exits.ts'

/**
 * An error of the system about a file or folder as one that says which it was and what to do; null for other errors. The file may be one that a person named, such
 * as the folder of a backup: it is not to be taken for the data folder.
 */
export function explainFileError(err: unknown): ExitError | null {
  if (!(err instanceof Error)) return null
  const { code = '', path, syscall = '' } = err as NodeJS.ErrnoException
  // The path of these is a program or a socket.
  if (syscall.startsWith('spawn') || syscall === 'connect' || syscall === 'listen') return null
  // Node reads a folder as a file without naming it.
  if (path === undefined)
    return code === 'EISDIR' && syscall === 'read' ? fail('usage', 'a folder was given where a file is read.', err) : null
  if (Object.hasOwn(reasons, code)) return fail('cannotCreate', `${path} cannot be used (${code}): ${reasons[code] ?? ''}.`, err)
  return Object.hasOwn(diskReasons, code) ? fail('ioError', `${path} cannot be used (${code}): ${diskReasons[code] ?? ''}.`, err) : null
}

/** Whether an error of the system is about another path than this folder and what is in it. */
export function isAboutOtherPath(err: unknown, folder: string): boolean {
  const { path } = err as NodeJS.ErrnoException
  return typeof path === 'string' && relative(resolve(folder), resolve(path)).startsWith('..')
}

function fail(exit: 'usage' | 'cannotCreate' | 'ioError', what: string, cause: Error): ExitError {
  return new ExitError(exit, what, { cause })
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read or write it',
  EPERM: 'this user may not read or write it',
  EROFS: 'its file system is read-only',
  ENOENT: 'it, or the folder that it is in, is not there',
  ENOTDIR: 'a part of the path is a file and no folder',
  EISDIR: 'it is a folder and no file',
  EEXIST: 'it exists already, and nothing is overwritten',
  ELOOP: 'its symbolic links lead in a circle, or it is one',
  ENAMETOOLONG: 'the name is too long',
}

const diskReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'no disk space is left',
  EDQUOT: 'the disk quota of this user is used up',
  EIO: 'the disk failed',
}
