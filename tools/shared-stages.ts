import { serveChromium } from './open-chromium.ts'
import { startTessera, type SharedTessera } from './start-tessera.ts'

/** Folders whose test files share one service and one browser. Each test file makes a merchant of its own and browser contexts of its own. */
const sharingFolders: readonly string[] = ['browser/', 'dashboard/']

/** Hands out the environment variables by which a test finds the service and the browser of its folder. */
export type SharedStages = {
  enter: (path: string) => Promise<NodeJS.ProcessEnv>
  leave: (path: string) => Promise<void>
}

type Stage = { readonly env: NodeJS.ProcessEnv; stop: () => Promise<void> }

/** Starts a folder's stage for its first file, and stops it after its last. A folder with one file gets none: that file starts its own. */
export function makeSharedStages(paths: readonly string[]): SharedStages {
  const folders = new Map<string, { left: number; stage: Promise<Stage> | null }>()
  for (const folder of sharingFolders) {
    const left = paths.filter((path) => isSharing(path, folder)).length
    if (left > 1) folders.set(folder, { left, stage: null })
  }
  const find = (path: string) => [...folders].find(([folder]) => isSharing(path, folder))?.[1]
  return {
    async enter(path) {
      const folder = find(path)
      return folder === undefined ? {} : (await (folder.stage ??= startStage())).env
    },
    async leave(path) {
      const folder = find(path)
      if (folder === undefined || --folder.left > 0) return
      await (await folder.stage)?.stop()
    },
  }
}

function isSharing(path: string, folder: string): boolean {
  return path.startsWith(folder) && path.endsWith('.serial.test.ts')
}

async function startStage(): Promise<Stage> {
  const [tessera, browser] = await Promise.all([startTessera(), serveChromium()])
  const service: SharedTessera = { url: tessera.url, folder: tessera.folder }
  return {
    env: { TESSERA_TEST_SERVICE: JSON.stringify(service), TESSERA_TEST_BROWSER: browser.endpoint },
    async stop() {
      await Promise.all([browser.stop(), tessera.stop()])
    },
  }
}
