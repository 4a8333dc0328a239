import { accessSync, constants, existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The full path of a program on PATH, in /usr/bin or in /usr/sbin; null when there is none. */
export function findOnPath(name: string): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return [...folders, '/usr/bin', '/usr/sbin'].map((folder) => join(folder, name)).find(isProgram) ?? null
}

/** The library that fakes a program's clock; null when it is not installed. */
export function findFaketimeLibrary(): string | null {
  const libraries = '/usr/lib'
  const folders = existsSync(libraries) ? readdirSync(libraries).map((name) => join(libraries, name, 'faketime')) : []
  return folders.map((folder) => join(folder, 'libfaketime.so.1')).find((path) => existsSync(path)) ?? null
}

/** Whether this user may execute it. */
export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
