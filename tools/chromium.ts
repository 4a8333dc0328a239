import { findOnPath, isProgram } from './find-program.ts'

/**
 * The browser of the tests: TESSERA_TEST_CHROMIUM, or else Chromium without the program around its pages (headless shell), or Chromium. The shell
 * renders, isolates and runs pages with the same code, and takes half of the processor time for a page.
 */
export function findTestBrowser(): string | null {
  const isGiven = (process.env.TESSERA_TEST_CHROMIUM ?? '') !== ''
  return isGiven ? findChromium() : (findHeadlessShell() ?? findChromium())
}

/** Chromium's headless shell; null when there is none. Debian's program on PATH is a script that passes no signal on. */
export function findHeadlessShell(): string | null {
  const debian = '/usr/lib/chromium/chromium-headless-shell'
  return isProgram(debian) ? debian : findOnPath('chrome-headless-shell')
}

/** Chromium's full path: TESSERA_TEST_CHROMIUM, or by its names on PATH; null when there is none. */
export function findChromium(): string | null {
  const given = process.env.TESSERA_TEST_CHROMIUM ?? ''
  if (given !== '') return isProgram(given) ? given : null
  return findOnPath('chromium') ?? findOnPath('chromium-browser') ?? findOnPath('google-chrome')
}

/**
 * The flags for tests: without a window, without background requests, and each site in a process of its own, which is the default of the whole
 * program only. Its sandbox does not work for root.
 */
export function chromiumFlags(): string[] {
  const isolated = '--site-per-process'
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run']
  const features = `--disable-features=${[...playwrightDisables, ...omniboxPages].join()}`
  return [
    '--headless',
    '--disable-gpu',
    '--disable-quic',
    isolated,
    features,
    ...quiet,
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  ]
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
