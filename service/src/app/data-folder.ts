import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

import { ExitError } from '../ops/exits.ts'

/** The paths in a data folder. */
export function dataFolderPaths(folder: string): { environment: string; kek: string } {
  return { environment: join(folder, 'environment'), kek: join(folder, 'development.kek') }
}

/**
 * Creates the data folder (0700) if it does not exist, and records its environment. A folder of the other environment is refused: the fixed codes of
 * the test environment must never apply to real cards. Throws `ExitError`.
 */
export function claimDataFolder(folder: string, environment: string): void {
  try {
    makeFolder(resolve(folder))
    const recorded = readEnvironment(folder)
    if (recorded === null) writeFileSync(dataFolderPaths(folder).environment, `${environment}\n`, { mode: 0o600, flag: 'wx', flush: true })
    else if (recorded !== environment) throw new ExitError('invalidSettings', foreignFolderMessage(folder, recorded, environment))
  } catch (err) {
    if (err instanceof ExitError) throw err
    const { code = 'unknown' } = err as NodeJS.ErrnoException
    throw new ExitError(
      'cannotCreate',
      `the data folder ${folder} cannot be used (${code}): let this user write it, or set TESSERA_DATA to another one.`,
      { cause: err },
    )
  }
}

/**
 * Creates a folder and its parents. Not with `recursive`: where the system returns ENOENT for every folder (under /proc), Node 24 loops forever and
 * handles no signal.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  makeFolder(dirname(folder))
  mkdirSync(folder, { mode: 0o700 })
}

/** The recorded environment of a data folder, if any. */
export function readEnvironment(folder: string): string | null {
  const { environment } = dataFolderPaths(folder)
  return existsSync(environment) ? readFileSync(environment, 'utf8').trim().slice(0, 32) : null
}

export function foreignFolderMessage(folder: string, recorded: string, environment: string): string {
  return `the data folder ${folder} was made in the ${recorded} environment and cannot be opened in ${environment}: set TESSERA_DATA to another.`
}
