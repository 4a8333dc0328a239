/** Runs around the form's frame: whether something there cuts a part of it off where no cardholder can scroll to. */
export function isClipped(frame: Element): boolean {
  const slack = 4
  const { top, bottom, left, right } = frame.getBoundingClientRect()
  for (let one = frame.parentElement; one !== null; one = one.parentElement) {
    const { overflowX, overflowY, clipPath } = getComputedStyle(one)
    const box = one.getBoundingClientRect()
    const isRoot = one === document.body || one === document.documentElement
    if (clipPath !== 'none') return true
    if (!isRoot && /hidden|clip/.test(overflowY) && (top < box.top - slack || bottom > box.bottom + slack)) return true
    if (!isRoot && /hidden|clip/.test(overflowX) && (left < box.left - slack || right > box.right + slack)) return true
  }
  return false
}
