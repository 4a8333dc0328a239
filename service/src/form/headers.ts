/** What every page of the form's origin says to a browser: keep nothing, tell nobody, do nothing else. */
export const pageHeaders: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-store',
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': denied(),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
})

/** Of the hosted page, which is nobody's frame: whoever opened it as a window holds no handle to it either. */
export const hostedHeaders: Readonly<Record<string, string>> = Object.freeze({
  ...pageHeaders,
  'cross-origin-opener-policy': 'same-origin',
})

/** What a merchant's page loads from us: anybody may, with Subresource Integrity, which wants CORS. */
export const sdkHeaders: Readonly<Record<string, string>> = Object.freeze({
  'access-control-allow-origin': '*',
  'content-type': 'text/javascript; charset=utf-8',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
})

/** All that Chromium knows by name: for a word that it does not, it writes a warning into the merchant's console. */
function denied(): string {
  const features = [
    ...['accelerometer', 'autoplay', 'browsing-topics', 'camera', 'clipboard-read', 'clipboard-write'],
    ...[
      'display-capture',
      'encrypted-media',
      'fullscreen',
      'gamepad',
      'geolocation',
      'gyroscope',
      'hid',
      'identity-credentials-get',
      'idle-detection',
    ],
    ...[
      'keyboard-map',
      'local-fonts',
      'magnetometer',
      'microphone',
      'midi',
      'payment',
      'picture-in-picture',
      'publickey-credentials-create',
    ],
    ...['publickey-credentials-get', 'screen-wake-lock', 'serial', 'storage-access', 'usb', 'window-management', 'xr-spatial-tracking'],
  ]
  return features.map((feature) => `${feature}=()`).join(', ')
}
