/** What may be set, and what a value of it looks like: no url(), no selector, nothing see-through that would hide what must be read. */
const colour = /^(#[0-9a-f]{3}|#[0-9a-f]{6}|(rgb|hsl)\([0-9.,% ]{5,40}\))$/i
const length = /^[0-9]{1,2}(\.[0-9]{1,3})?(px|rem|em)$/
const shapes: Readonly<Record<string, RegExp>> = {
  ...{ accent: colour, accentText: colour, background: colour, field: colour, text: colour, muted: colour },
  ...{ border: colour, error: colour, success: colour, focus: colour },
  ...{ radius: length, borderWidth: length, fontSize: length, gap: length },
  fontFamily: /^[a-z0-9 ,'"-]{1,100}$/i,
}

/** Sets the theme on the document; what does not fit is left as it was. `scheme` is light, dark or auto. */
export function applyTheme(theme: Readonly<Record<string, string>>): void {
  const { style, dataset } = document.documentElement
  for (const [name, shape] of Object.entries(shapes)) {
    const value = theme[name]
    if (value !== undefined && shape.test(value)) style.setProperty(`--${name}`, value)
    else style.removeProperty(`--${name}`)
  }
  dataset['scheme'] = theme['scheme'] === 'light' || theme['scheme'] === 'dark' ? theme['scheme'] : 'auto'
}
