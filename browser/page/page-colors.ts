/** The color of the page's text where the frame stands, and the backgrounds around it, from the inside out. The form takes its scheme from them. */
export function readPageColors(frame: Element): string[] {
  const colors = [getComputedStyle(frame).color]
  for (let element: Element | null = frame; element; element = element.parentElement) colors.push(getComputedStyle(element).backgroundColor)
  return colors
}
