import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './service-data.ts'
import { RequirementMissing } from './requirement-missing.ts'

/** A small file system of its own. */
export interface Disk {
  readonly folder: string
  /** Fills it up to a number of bytes. */
  fill(bytesLeft: number): void
  /** Deletes what `fill` wrote. */
  free(): void
  remove(): void
}

/** A disk whose power can be cut: what was not synced by then is gone. */
export interface PoweredDisk extends Disk {
  /** A process that writes to the disk waits from now on, until `thaw`. */
  freeze(): Promise<void>
  thaw(): void
  /** Stops all writes to the disk, those of the journal included. */
  cutPower(): Promise<void>
  /** Mounts it again, as after the power came back. No file may be open on it. */
  restorePower(): void
}

/** A file system in memory. */
export function mountTmpfs(megabytes: number): Disk {
  const place = makeFolder()
  const folder = join(place, 'disk')
  mkdirSync(folder)
  runSystemCommand('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tessera-fault', folder)
  return makeDisk(place, folder)
}

/** ext4 on a file. `commit=60` keeps the journal from being written by itself, so that only what is synced is there after a cut. */
export function mountExt4(megabytes: number): PoweredDisk {
  const place = makeFolder()
  const [folder, image] = [join(place, 'disk'), join(place, 'image')]
  mkdirSync(folder)
  closeSync(openSync(image, 'w'))
  truncateSync(image, megabytes * 1024 * 1024)
  runSystemCommand('mkfs.ext4', '-qF', image)
  const mount = (): void => runSystemCommand('mount', '-o', 'loop,commit=60', image, folder)
  mount()
  return {
    ...makeDisk(place, folder),
    async freeze() {
      // Not synchronously: a load that this process sends goes on meanwhile.
      const [status] = (await once(spawn('fsfreeze', ['--freeze', folder], systemEnvironment), 'close')) as [number | null]
      if (status !== 0) throw new RequirementMissing(`the file system could not be frozen: fsfreeze ended with ${String(status)}`)
    },
    thaw: () => runSystemCommand('fsfreeze', '--unfreeze', folder),
    async cutPower() {
      const cut = spawn('perl', ['-e', shutDown, folder], { stdio: 'ignore' })
      const [status] = (await once(cut, 'close')) as [number | null]
      if (status !== 0) throw new RequirementMissing(`the file system could not be shut down: perl ended with ${String(status)}`)
    },
    restorePower() {
      runSystemCommand('umount', folder)
      mount()
    },
  }
}

function makeDisk(place: string, folder: string): Disk {
  const leave = (): void => void spawnSync('umount', ['-l', folder])
  process.once('exit', leave)
  const ballast = join(folder, 'ballast')
  return {
    folder,
    fill(bytesLeft) {
      const { bavail, bsize } = statfsSync(folder)
      writeZeros(ballast, bavail * bsize - bytesLeft)
    },
    free: () => rmSync(ballast, { force: true }),
    remove() {
      leave()
      process.off('exit', leave)
      rmSync(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
    },
  }
}

/** ENOSPC is no error here: other writers may have filled the disk meanwhile. */
function writeZeros(path: string, bytes: number): void {
  const zeros = Buffer.alloc(64 * 1024)
  const file = openSync(path, 'w')
  try {
    for (let left = bytes; left > 0; left -= zeros.length) writeSync(file, zeros, 0, Math.min(left, zeros.length))
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== 'ENOSPC') throw err
  } finally {
    closeSync(file)
  }
}

const systemEnvironment = { env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` } }

/** Throws `RequirementMissing` when the machine refuses, so that this is not taken for a fault of the service. */
function runSystemCommand(command: string, ...args: string[]): void {
  const { status, error, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    ...systemEnvironment,
  })
  if (status !== 0) throw new RequirementMissing(`${command} ${args[0] ?? ''} failed: ${(error?.message ?? stderr).trim()}`)
}

/** EXT4_IOC_SHUTDOWN (linux/fs/ext4/ext4.h), with EXT4_GOING_FLAGS_NOLOGFLUSH. */
const shutdownIoctl = '0x8004587d'
const withoutJournal = 2
const shutDown = `open(F, "<", $ARGV[0]) or die; my $f = pack("L", ${withoutJournal}); ioctl(F, ${shutdownIoctl}, $f) or die`
