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
  const features = `--disable-features=${[...playwrightDisables, ...omniboxPages].join()}`
  return ['--headless', '--disable-gpu', '--disable-quic', features, ...quiet, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])]
}

/** Two pages of Chromium's own for the popup of the address bar, in every window. Without them a new page takes half of the processor time. */
const omniboxPages = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']

/** What Playwright disables itself. Chromium reads only the last list, which is ours; chromium.serial.test.ts compares the two. */
const playwrightDisables = [
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
  'msForceBrowserSignIn',
  'msEdgeUpdateLaunchServicesPreferredVersion',
]
