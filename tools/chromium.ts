import { findOnPath, isProgram } from './find-program.ts'

/** Chromium's full path: TESSERA_TEST_CHROMIUM, or by its names on PATH; null when there is none. */
export function findChromium(): string | null {
  const given = process.env.TESSERA_TEST_CHROMIUM ?? ''
  if (given !== '') return isProgram(given) ? given : null
  return findOnPath('chromium') ?? findOnPath('chromium-browser') ?? findOnPath('google-chrome')
}

/** The flags for tests: without a window, and without background requests. Its sandbox does not work for root. */
export function chromiumFlags(): string[] {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  return ['--headless', '--disable-gpu', '--disable-quic', ...quiet, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
}
