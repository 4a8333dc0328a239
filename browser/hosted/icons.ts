import type { EndReason } from './texts.ts'

/** The sign over each ending, drawn in a box of 24 by 24. */
export function createIcon(reason: EndReason): SVGElement {
  const svg = document.createElementNS(namespace, 'svg')
  svg.setAttribute('viewBox', '0 0 24 24')
  svg.setAttribute('class', `icon ${toneOf[reason]}`)
  svg.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(namespace, 'path')
  path.setAttribute('d', paths[reason])
  svg.append(path)
  return svg
}

const namespace = 'http://www.w3.org/2000/svg'
const cross = 'M8.5 8.5l7 7M15.5 8.5l-7 7'
const link = 'M10 8.5H8.5a3.5 3.5 0 0 0 0 7H10M14 8.5h1.5a3.5 3.5 0 0 1 0 7H14M9.5 12h5'

const check = 'M7.5 12.4l3 3 6-6.4'

const paths: Readonly<Record<EndReason, string>> = {
  done: check,
  picked: check,
  cancelled: cross,
  missing: link,
  unknown: link,
  usedUp: cross,
  ended: 'M12 7.5V12l3 2',
  offline: 'M6.5 11a8.5 8.5 0 0 1 11 0M8.7 13.6a5 5 0 0 1 6.6 0M12 16.6v.01M6.5 6.5l11 11',
}

const toneOf: Readonly<Record<EndReason, 'good' | 'neutral' | 'bad'>> = {
  done: 'good',
  picked: 'good',
  cancelled: 'neutral',
  missing: 'neutral',
  unknown: 'bad',
  usedUp: 'bad',
  ended: 'neutral',
  offline: 'neutral',
}
