import { encodeQR } from 'qr'

/** A QR code as a path of squares, in a square of `size` units with the white around it that readers need. */
export interface DrawnQrCode {
  readonly size: number
  readonly path: string
}

/** Loaded when a code is shown. It imports nothing of the page, so that the build needs no further file for what both would share. */
export function drawQrCode(text: string): DrawnQrCode {
  const modules = encodeQR(text, 'raw', { border: quietZone })
  const squares = modules.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${String(x)} ${String(y)}h1v1h-1z` : '')))
  return { size: modules.length, path: squares.join('') }
}

/** Modules of white around the code (ISO/IEC 18004). */
const quietZone = 4
