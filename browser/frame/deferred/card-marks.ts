/** The brands that have a mark. */
export type MarkedBrand = keyof typeof cardMarks

/** Draws the mark of a brand: a card of 34 by 22 pixels. The drawings are our own, in colors by which each brand is known. */
export function drawMark(brand: MarkedBrand): SVGElement {
  const { ground, shapes } = cardMarks[brand]
  const card = { x: 0.5, y: 0.5, width: 33, height: 21, rx: 3.5 }
  const svg = createSvg('svg', { viewBox: '0 0 34 22', width: 34, height: 22, class: 'mark', 'data-brand': brand })
  svg.append(createSvg('rect', { ...card, fill: ground }))
  for (const [name, attributes, text] of shapes) svg.append(createSvg(name, attributes, text))
  // The edge of a light card on a light field, and of a dark one on a dark field.
  svg.append(createSvg('rect', { ...card, fill: 'none', stroke: '#808080', 'stroke-opacity': 0.4 }))
  return svg
}

export function createSvg(name: string, attributes: Readonly<Record<string, string | number>>, text = ''): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, String(value))
  element.textContent = text
  return element
}

/** A part of a drawing: an SVG element, its attributes and its text. */
type Shape = readonly [name: string, attributes: Readonly<Record<string, string | number>>, text?: string]

/** A word across the middle of the card, `width` wide in every font. */
function word(
  text: string,
  fill: string,
  { width, size, y, ...more }: { readonly width: number; readonly size: number; readonly y: number; readonly 'font-style'?: string },
): Shape {
  const font = { 'font-family': 'Arial,Helvetica,sans-serif', 'font-weight': 800, 'font-size': size, ...more }
  return ['text', { x: 17, y, fill, ...font, 'text-anchor': 'middle', textLength: width, lengthAdjust: 'spacingAndGlyphs' }, text]
}

const path = (d: string, fill: string): Shape => ['path', { d, fill }]
const disc = (cx: number, fill: string): Shape => ['circle', { cx, cy: 11, r: 6.2, fill }]

const cardMarks = {
  uzcard: {
    ground: '#0b4a9c',
    shapes: [
      path('M.5 17.5C10 10.5 22 11 33.5 15v3a3.5 3.5 0 0 1-3.5 3.5H4A3.5 3.5 0 0 1 .5 18z', '#31a8e0'),
      word('UZCARD', '#fff', { width: 26, size: 7.4, y: 10.6 }),
    ],
  },
  humo: {
    ground: '#fbf7ee',
    shapes: [
      path('M6 10.4c4.6-.4 8-2.4 11-6.4 3 4 6.4 6 11 6.4-4.4.8-8-.2-11-3.2-3 3-6.6 4-11 3.2z', '#b98d3e'),
      word('HUMO', '#7a5a1e', { width: 21, size: 7.4, y: 18 }),
    ],
  },
  visa: {
    ground: '#fff',
    shapes: [word('VISA', '#1b2a7b', { width: 25, size: 11, y: 15, 'font-style': 'italic' })],
  },
  mastercard: {
    ground: '#fff',
    shapes: [disc(13.2, '#e2262d'), disc(20.8, '#f4a12c'), path('M17 6.1a6.2 6.2 0 0 1 0 9.8 6.2 6.2 0 0 1 0-9.8z', '#ef6a2b')],
  },
  unionpay: {
    ground: '#fff',
    shapes: [
      path('M8 3h7.5L12.2 19H4.7z', '#d8232f'),
      path('M15 3h8l-3.3 16h-8z', '#1d3f7a'),
      path('M22.5 3H30l-3.3 16h-7.5z', '#0a7a78'),
      word('UnionPay', '#fff', { width: 23, size: 5.6, y: 13 }),
    ],
  },
  mir: {
    ground: '#fff',
    shapes: [word('МИР', '#188a3a', { width: 25, size: 9.6, y: 14.5 }), path('M23.5 4.6H30c-.4 1.5-1.4 2.3-3 2.3h-4.3z', '#2f9fd8')],
  },
} satisfies Record<string, { readonly ground: string; readonly shapes: readonly Shape[] }>
