const maxBytes = 1024 * 1024
const dataUrl = /^data:(?:font|application)\/[a-z\d.+-]+;base64,([A-Za-z\d+/]+={0,2})$/

let shown: unknown
/** Whether the font in `shown` is one. */
let isFont = Promise.resolve(true)

/**
 * Makes a font of a whole file. It has no `unicode-range` and nothing is fetched, so nobody learns which characters are drawn. Consent and footer
 * have another font, whatever the file contains. A file that comes when something is typed is not used: the text would jump. False when it is no
 * font, each time it is given.
 */
export async function showPageFont(font: unknown): Promise<boolean> {
  if (font === shown) return isFont
  const isTyped = [...document.querySelectorAll('input')].some(({ type, value }) => type !== 'checkbox' && value !== '')
  if (isTyped) return true
  shown = font
  document.fonts.clear()
  delete document.documentElement.dataset['font']
  isFont = (font ?? '') === '' ? Promise.resolve(true) : loadFont(font)
  return isFont
}

async function loadFont(file: unknown): Promise<boolean> {
  const bytes = readFile(file)
  if (bytes === null) return false
  const face = new FontFace('page-font', bytes, { weight: '100 900' })
  const isLoaded = await face.load().then(
    () => true,
    () => false,
  )
  if (isLoaded && shown === file) {
    document.fonts.add(face)
    document.documentElement.dataset['font'] = 'page'
  }
  return isLoaded
}

/** The bytes of a data URL; null for anything else. */
function readFile(url: unknown): ArrayBuffer | null {
  if (typeof url !== 'string' || url.length > (maxBytes * 4) / 3 + 100) return null
  const [, base64] = dataUrl.exec(url) ?? []
  try {
    return base64 === undefined ? null : Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)).buffer
  } catch {
    return null
  }
}
