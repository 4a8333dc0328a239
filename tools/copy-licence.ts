import { copyFileSync } from 'node:fs'
import { join } from 'node:path'

/** Copies the licence into the folder of a package: npm packs the one that is there. */
export function copyLicence(root: string, workspace: 'browser' | 'client'): void {
  copyFileSync(join(root, 'LICENSE'), join(root, workspace, 'LICENSE'))
}
