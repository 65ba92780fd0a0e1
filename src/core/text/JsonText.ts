// JsonText: a value as JSON for those who read it and those who parse it: nothing hidden in it, the same value.
import { replaceHidden } from "./Hidden.ts"

const units = (character: string): string =>
  Array.from({ length: character.length }, (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`)
    .join("")

/**
 * A value as JSON with every hidden character (see `Hidden`) escaped: on one line without a newline or, with an
 * `indent`, on lines of its own. Hidden characters stand inside strings alone, where an escape means the same.
 */
export const jsonText = (value: unknown, indent = 0): string =>
  replaceHidden(JSON.stringify(value, null, indent), (c) => c === "\n" ? c : units(c))
