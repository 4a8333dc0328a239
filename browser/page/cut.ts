/** Whether a part of the page around `frame` cuts its end off where nobody can scroll to it. The frame itself cannot know. */
export function isCut(frame: Element): boolean {
  const { bottom } = frame.getBoundingClientRect()
  // What body and html say of overflow holds for the window, which is no part around the frame.
  for (let part: Element | null = frame; part !== null && part !== document.body; part = part.parentElement) {
    const { clipPath, overflowY } = getComputedStyle(part)
    if (clipPath !== 'none') return true
    if (/hidden|clip/.test(overflowY) && part.getBoundingClientRect().bottom < bottom - 1) return true
  }
  return false
}
