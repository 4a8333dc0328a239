import { statSync } from 'node:fs'

interface FileOwner {
  readonly mode: number
  readonly uid: number
  readonly gid: number
}

/**
 * Whether only the user of the service may read a file of a secret. As for PostgreSQL, its group may read it too when it belongs to root and the group is the
 * service's own: so Kubernetes hands out secrets (`fsGroup`), which cannot belong to a user.
 */
export function isPrivateFile(path: string): boolean {
  if (process.platform === 'win32') return true
  return isPrivateTo(statSync(path), { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 })
}

/** The same for a user and its group. */
export function isPrivateTo({ mode, uid, gid }: FileOwner, user: { readonly uid: number; readonly gid: number }): boolean {
  if ((mode & 0o077) === 0) return true
  return (mode & 0o037) === 0 && uid === 0 && user.uid !== 0 && gid === user.gid
}
