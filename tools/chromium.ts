import { findOnPath, isProgram } from './find-program.ts'

/** Chromium's full path: TESSERA_TEST_CHROMIUM, or by its names on PATH; null when there is none. */
export function findChromium(): string | null {
  const given = process.env.TESSERA_TEST_CHROMIUM ?? ''
  if (given !== '') return isProgram(given) ? given : null
  return findOnPath('chromium') ?? findOnPath('chromium-browser') ?? findOnPath('google-chrome')
}

/** How tests start it: without a window, and without a byte to anybody but us. Root has no sandbox to offer it. */
export function chromiumFlags(): string[] {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  return ['--headless', '--disable-gpu', '--disable-quic', ...quiet, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
}
