import { cspSourceOf } from '@tessera/contract/origin'

import type { DashboardAssets } from './dashboard-assets.ts'

/** The document of the dashboard. Everything in it is loaded from the same origin, and nothing is inline. */
export function renderDashboardDocument({ script, style, imported }: DashboardAssets): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">' +
    '<meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>Tessera</title>' +
    '<link rel="icon" href="data:,">' +
    imported.map((name) => `<link rel="modulepreload" href="/dashboard/assets/${name}">`).join('') +
    `<link rel="stylesheet" href="/dashboard/assets/${style}"><script type="module" src="/dashboard/assets/${script}"></script></head>` +
    '<body><div id="app"></div><noscript>JavaScript is needed here.</noscript></body></html>'
  )
}

/**
 * The headers of the document (W3C CSP 3, Trusted Types). `formOrigin` serves the preview of the form builder; null, in the test environment, is every port
 * of 127.0.0.1.
 */
export function documentHeaders(formOrigin: string | null): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `frame-src ${formOrigin === null ? 'http://127.0.0.1:*' : cspSourceOf(formOrigin)}`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // Makes one URL, that of the worker of proofs of work (dashboard/app/solve-proof.ts).
    'trusted-types tessera-worker',
  ].join('; ')
  return { ...commonHeaders, 'cache-control': 'no-store', 'content-security-policy': policy, 'content-type': 'text/html; charset=utf-8' }
}

/** Headers of the script and the stylesheet. */
export const assetHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
}

const commonHeaders: Readonly<Record<string, string>> = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), hid=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/** The headers of a page of the documentation, which runs no script and loads its stylesheet and pictures. */
export const docsHeaders: Readonly<Record<string, string>> = {
  ...commonHeaders,
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
}
