import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

import { CannotCheck } from '../cannot-check.ts'

/** The path of a browser: the one that was named, or a Chromium where systems put it. Throws `CannotCheck` with what to install. */
export function findBrowser(named: string | null, { env, platform }: { env: NodeJS.ProcessEnv; platform: NodeJS.Platform }): string {
  if (named !== null) {
    if (isProgram(named)) return named
    throw new CannotCheck(`${named} is no program. ${whatToDo}`)
  }
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const found = [...folders.flatMap((folder) => names.map((name) => join(folder, name))), ...(places[platform] ?? [])].find(isProgram)
  if (found === undefined) throw new CannotCheck(`There is no Chromium on this machine to open the page with. ${whatToDo}`)
  return found
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const whatToDo =
  'Install one (Debian: apt-get install chromium; else Google Chrome or Microsoft Edge), name it with --browser <path>, or check the source alone with --static.'
const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'microsoft-edge', 'chrome.exe', 'msedge.exe']
const places: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: [
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
    '/Applications/Chromium.app/Contents/MacOS/Chromium',
    '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  ],
  win32: [
    'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Google\\Chrome\\Application\\chrome.exe',
    'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  ],
}
