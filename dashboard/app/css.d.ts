/** Styles are bundled by the build; nothing of them is imported by name. */
declare module '*.css' {}
