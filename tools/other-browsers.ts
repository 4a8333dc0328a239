import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findOnPath, isProgram } from './find-program.ts'

/** Firefox's full path, the long-term release first; null when there is none. */
export function findFirefox(): string | null {
  return findOnPath('firefox-esr') ?? findOnPath('firefox')
}

/** The WebDriver server of WebKitGTK; null when there is none. */
export function findWebKitDriver(): string | null {
  return findOnPath('WebKitWebDriver')
}

/** WebKitGTK's small test browser, which the driver starts. Debian installs it in the folder of the library. */
export function findWebKitBrowser(): string | null {
  const root = '/usr/lib'
  const libraries = [root, ...list(root).map((name) => join(root, name))].filter((folder) => existsSync(folder))
  const folders = libraries.flatMap((library) =>
    list(library)
      .filter((name) => name.startsWith('webkit2gtk-'))
      .map((name) => join(library, name)),
  )
  return folders.map((folder) => join(folder, 'MiniBrowser')).find(isProgram) ?? null
}

/** A virtual display, which WebKitGTK requires; null when there is none. */
export function findXvfb(): string | null {
  return findOnPath('Xvfb')
}

function list(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
}
