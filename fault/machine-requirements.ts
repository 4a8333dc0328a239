import { existsSync } from 'node:fs'
import { findFaketimeLibrary, findOnPath } from '../tools/find-program.ts'
import { hasMemoryGroups } from './memory-cgroup.ts'

/** What an experiment may require of the machine. */
export type MachineRequirement = 'root' | 'strace' | 'faketime' | 'perl' | 'script' | 'mkfs.ext4' | 'memory cgroup'

/** The requirements that this machine does not meet, each with how to meet it. */
export function listMissingRequirements(needs: readonly MachineRequirement[]): string[] {
  return needs.filter((need) => !finders[need].has()).map((need) => `${need} (${finders[need].advice})`)
}

const finders: Readonly<Record<MachineRequirement, { has: () => boolean; advice: string }>> = {
  root: { has: () => process.getuid?.() === 0, advice: 'run as root: it mounts file systems' },
  strace: { has: () => findOnPath('strace') !== null, advice: 'apt-get install strace' },
  faketime: { has: () => findFaketimeLibrary() !== null, advice: 'apt-get install faketime' },
  perl: { has: () => findOnPath('perl') !== null, advice: 'apt-get install perl' },
  script: { has: () => findOnPath('script') !== null, advice: 'apt-get install bsdutils' },
  'memory cgroup': { has: hasMemoryGroups, advice: 'run as root where cgroup v1 has the memory controller' },
  'mkfs.ext4': { has: () => findOnPath('mkfs.ext4') !== null || existsSync('/usr/sbin/mkfs.ext4'), advice: 'apt-get install e2fsprogs' },
}
