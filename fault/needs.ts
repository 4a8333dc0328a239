import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath } from '../tools/find-program.ts'

/** What an experiment may take of the machine. */
export type Need = 'root' | 'strace' | 'faketime' | 'perl' | 'mkfs.ext4'

/** Those that this machine has not, each with what to do about it. */
export function listMissing(needs: readonly Need[]): string[] {
  return needs.filter((need) => !finders[need].has()).map((need) => `${need} (${finders[need].advice})`)
}

/** The library that fakes a program's clock; null when it is not installed. */
export function findFaketimeLibrary(): string | null {
  const libraries = '/usr/lib'
  const folders = existsSync(libraries) ? readdirSync(libraries).map((name) => join(libraries, name, 'faketime')) : []
  return folders.map((folder) => join(folder, 'libfaketime.so.1')).find((path) => existsSync(path)) ?? null
}

const finders: Readonly<Record<Need, { has: () => boolean; advice: string }>> = {
  root: { has: () => process.getuid?.() === 0, advice: 'run as root: it mounts file systems' },
  strace: { has: () => findOnPath('strace') !== null, advice: 'apt-get install strace' },
  faketime: { has: () => findFaketimeLibrary() !== null, advice: 'apt-get install faketime' },
  perl: { has: () => findOnPath('perl') !== null, advice: 'apt-get install perl' },
  'mkfs.ext4': { has: () => findOnPath('mkfs.ext4') !== null || existsSync('/usr/sbin/mkfs.ext4'), advice: 'apt-get install e2fsprogs' },
}

/** The machine cannot do what an experiment needs, although everything is installed; containers often may not mount. */
export class MachineLacks extends Error {
  override readonly name = 'MachineLacks'
}
