import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A program's full path, searched on PATH and where systems keep what is not on everyone's; null when there is none. */
export function findOnPath(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return [...folders, '/usr/bin', '/usr/sbin'].map((folder) => join(folder, name)).find(isProgram) ?? null
}

/** Whether this user may run it. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
