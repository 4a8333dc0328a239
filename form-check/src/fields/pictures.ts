import { readIdentifier } from './words.ts'

/** What the address of a picture says about it: the texts of a drawing that stands in the address itself, or the name of a file such as `card-number.png`. */
export function readPictureAddress(address: string): string {
  const drawing = /^data:image\/svg\+xml[^,]{0,40},/i.exec(address)
  if (drawing !== null) return textsOfDrawing(decodeDrawing(address.slice(drawing[0].length), /;base64,$/i.test(drawing[0])))
  const name = /([^/?#]{1,80})\.(?:png|jpe?g|gif|webp|avif|svg)(?:[?#]|$)/i.exec(address)?.[1] ?? ''
  return readIdentifier(name) === null ? '' : name.replace(/[-_.]+/g, ' ')
}

function decodeDrawing(data: string, isBase64: boolean): string {
  if (isBase64) return Buffer.from(data, 'base64').toString('utf8')
  try {
    return decodeURIComponent(data)
  } catch {
    return data
  }
}

function textsOfDrawing(svg: string): string {
  const texts = [...svg.matchAll(/<(text|title|tspan)\b[^>]{0,500}>([^<]{1,500})/gi)].map((match) => match[2] ?? '')
  return texts.join(' ').replace(/\s+/g, ' ').trim().slice(0, maxDrawingText)
}

const maxDrawingText = 300
