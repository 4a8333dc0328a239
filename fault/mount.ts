import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, truncateSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './home.ts'
import { MachineLacks } from './needs.ts'

/** A small file system of its own. */
export interface Disk {
  readonly folder: string
  /** Fills it but for some bytes. */
  fill(bytesLeft: number): void
  /** Takes away what `fill` put there. */
  free(): void
  remove(): void
}

/** A disk whose power can be cut: what was not synced by then is gone. */
export interface PoweredDisk extends Disk {
  /** From now on nothing reaches the disk any more, the journal included. */
  cutPower(): Promise<void>
  /** Mounts it anew, as after the power came back. Nobody may have a file open on it. */
  restorePower(): void
}

/** A file system in memory, of a size. */
export function mountTmpfs(megabytes: number): Disk {
  const place = makeFolder()
  const folder = join(place, 'disk')
  mkdirSync(folder)
  act('mount', '-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tessera-fault', folder)
  return makeDisk(place, folder)
}

/** ext4 on a file. `commit=60` keeps the journal from being written by itself, so that only what is synced is there after a cut. */
export function mountExt4(megabytes: number): PoweredDisk {
  const place = makeFolder()
  const [folder, image] = [join(place, 'disk'), join(place, 'image')]
  mkdirSync(folder)
  closeSync(openSync(image, 'w'))
  truncateSync(image, megabytes * 1024 * 1024)
  act('mkfs.ext4', '-qF', image)
  const mount = (): void => act('mount', '-o', 'loop,commit=60', image, folder)
  mount()
  return {
    ...makeDisk(place, folder),
    async cutPower() {
      const cut = spawn('perl', ['-e', shutDown, folder], { stdio: 'ignore' })
      const [status] = (await once(cut, 'close')) as [number | null]
      if (status !== 0) throw new MachineLacks(`the file system could not be shut down: perl ended with ${String(status)}`)
    },
    restorePower() {
      act('umount', folder)
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

/** A disk that is full sooner, because others write meanwhile, is what was wanted. */
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

/** A machine that cannot is told from a fault of the service. */
function act(command: string, ...args: string[]): void {
  const { status, error, stderr } = spawnSync(command, args, {
    encoding: 'utf8',
    env: { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` },
  })
  if (status !== 0) throw new MachineLacks(`${command} ${args[0] ?? ''} failed: ${(error?.message ?? stderr).trim()}`)
}

/** EXT4_IOC_SHUTDOWN (linux/fs/ext4/ext4.h), with EXT4_GOING_FLAGS_NOLOGFLUSH. */
const shutdownIoctl = '0x8004587d'
const withoutJournal = 2
const shutDown = `open(F, "<", $ARGV[0]) or die; my $f = pack("L", ${withoutJournal}); ioctl(F, ${shutdownIoctl}, $f) or die`
