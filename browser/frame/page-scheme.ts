/**
 * Whether the page is dark where the form stands. The page sends the color of its text there, and then the backgrounds around the form, from the
 * inside out. The nearest background that is not transparent decides and, where there is none or only a picture, the color of the text.
 */
export function isPageDark([text = '', ...grounds]: readonly string[]): boolean {
  const ground = grounds.map(brightnessOf).find((brightness) => brightness >= 0)
  return ground === undefined ? brightnessOf(text) > 0.5 : ground < 0.5
}

/** From 0 to 1, and -1 for a color that one sees through. Lightness and the mean of red, green and blue are near enough to each other. */
function brightnessOf(color: string): number {
  const [first = -1, second = 0, third = 0, alpha = 1] = color.match(/(?<=[( ])[\d.]+/g)?.map(Number) ?? []
  if (first < 0 || alpha < 0.5) return -1
  if (/^(rgb|color)/.test(color)) return (first + second + third) / (color.startsWith('rgb') ? 765 : 3)
  return color.startsWith('ok') ? first : first / 100
}
