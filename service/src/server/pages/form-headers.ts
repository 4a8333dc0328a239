/** Headers of every page of the form's origin: no caching, no referrer, no browser features. */
export const pageHeaders: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'no-store',
  'content-type': 'text/html; charset=utf-8',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'cross-origin',
  'origin-agent-cluster': '?1',
  'permissions-policy': deniedFeatures(),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
})

/** Headers of the hosted page. It is never framed, and the window that opened it gets no handle to it. */
export const hostedHeaders: Readonly<Record<string, string>> = Object.freeze({
  ...pageHeaders,
  'cross-origin-opener-policy': 'same-origin',
})

/** Headers of a merchant's logo: an image for pages of this origin, and nothing else, however it is opened. */
export const logoHeaders: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'public, max-age=31536000, immutable',
  'content-security-policy': "default-src 'none'; sandbox",
  'content-type': 'image/png',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
})

/** Headers of pages of text, which open in a window of their own. */
export const textHeaders = hostedHeaders

/** Headers of the SDK files. Any page may load them, with Subresource Integrity, which needs CORS. */
export const sdkHeaders: Readonly<Record<string, string>> = Object.freeze({
  'access-control-allow-origin': '*',
  'content-type': 'text/javascript; charset=utf-8',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
})

/** Headers of the scripts that the form loads later. Their paths contain their hashes. Only documents of its own origin may load them. */
export const deferredHeaders: Readonly<Record<string, string>> = Object.freeze({
  'cache-control': 'public, max-age=31536000, immutable',
  'content-type': 'text/javascript; charset=utf-8',
  'cross-origin-resource-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Encoding',
})

/** The features that Chromium knows: for an unknown one it writes a warning into the merchant's console. */
function deniedFeatures(): string {
  const features = [
    'accelerometer',
    'autoplay',
    'browsing-topics',
    'camera',
    'clipboard-read',
    'clipboard-write',
    'display-capture',
    'encrypted-media',
    'fullscreen',
    'gamepad',
    'geolocation',
    'gyroscope',
    'hid',
    'identity-credentials-get',
    'idle-detection',
    'keyboard-map',
    'local-fonts',
    'magnetometer',
    'microphone',
    'midi',
    'payment',
    'picture-in-picture',
    'publickey-credentials-create',
    'publickey-credentials-get',
    'screen-wake-lock',
    'serial',
    'storage-access',
    'usb',
    'window-management',
    'xr-spatial-tracking',
  ]
  return features.map((feature) => `${feature}=()`).join(', ')
}
