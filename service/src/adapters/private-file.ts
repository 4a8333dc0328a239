import { readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

interface FileOwner {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/** The user that the service runs as, with its primary group, and the users of the machine: the text of /etc/passwd and /etc/group. */
interface FileReader {
  readonly uid: number
  readonly gid: number
  readonly passwd: string
  readonly group: string
}

/**
 * Whether only the user of the service may read a file of a secret. Its group may read one of root's too when the group is the service's own and has nobody
 * else: so Kubernetes hands out secrets (`fsGroup`), which cannot belong to a user. So may root's group a credential of systemd. Whom root has let read a file
 * by an ACL is not seen.
 */
export function isPrivateFile(path: string): boolean {
  if (process.platform === 'win32') return true
  const file = statSync(path)
  if (isOfOwnerOnly(file)) return true
  if (isSystemdCredential(path)) return true
  const [passwd, group] = ['/etc/passwd', '/etc/group'].map(readIfThere)
  return isPrivateTo(file, { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0, passwd: passwd ?? '', group: group ?? '' })
}

/**
 * Whether systemd has put the file there for a service (`LoadCredential=`), in a folder of the unit that only root and that service can open. From version 254 on it
 * lets the user of the service read it by an ACL, so that the file belongs to root and its mode is 0440: the bits of the group are the mask of the ACL then.
 */
function isSystemdCredential(path: string): boolean {
  const file = realpathSync(path)
  const folder = dirname(file)
  return dirname(folder) === '/run/credentials' && isCredential(statSync(folder), statSync(file))
}

/** Whether folder and file are root's, closed to others, and cannot be written by root's group. */
export function isCredential(folder: FileOwner, file: FileOwner): boolean {
  return isOfRootOnly(folder, 0o027) && isOfRootOnly(file, 0o037)
}

function isOfRootOnly({ mode, uid, gid }: FileOwner, forbidden: number): boolean {
  return uid === 0 && gid === 0 && (mode & forbidden) === 0
}

/** The same for a user and its group. */
export function isPrivateTo(file: FileOwner, reader: FileReader): boolean {
  if (isOfOwnerOnly(file)) return true
  const { mode, uid, gid } = file
  return (mode & 0o037) === 0 && uid === 0 && reader.uid !== 0 && gid === reader.gid && !hasOtherMembers(reader)
}

function isOfOwnerOnly({ mode }: FileOwner): boolean {
  return (mode & 0o077) === 0
}

/** Whether another user than this one and root is in the group, as far as the files of the machine say: `users` and `nogroup` have many. */
function hasOtherMembers({ uid, gid, passwd, group }: FileReader): boolean {
  const users = linesOf(passwd).map(([name = '', , userId = '', groupId = '']) => ({ name, uid: Number(userId), gid: Number(groupId) }))
  const isOther = (userId: number | undefined): boolean => userId !== uid && userId !== 0
  if (users.some((user) => user.gid === gid && isOther(user.uid))) return true
  const named = linesOf(group)
    .filter(([, , groupId]) => Number(groupId) === gid)
    .flatMap(([, , , members = '']) => members.split(',').filter((name) => name !== ''))
  return named.some((name) => isOther(users.find((user) => user.name === name)?.uid))
}

function linesOf(text: string): string[][] {
  return text
    .split('\n')
    .filter((line) => line.includes(':'))
    .map((line) => line.trim().split(':'))
}

/** '' where there is no such file, as in an image with nothing but the service. */
function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
