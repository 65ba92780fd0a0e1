// Names: names of files as git and Linux have them: any bytes but 0 and the slash.
// Each byte is held as one character, so that a name which is not valid UTF-8 stays intact.
import { oneLine } from "../text/Untrusted.ts"

/** A path relative to a worktree, each byte one character (latin1). */
export type Name = string

const utf8 = new TextDecoder()

/** The bytes of a name. */
export const nameBytes = (name: Name): Uint8Array => Uint8Array.from(name, (character) => character.charCodeAt(0))

/** A name for people. */
export const shownName = (name: Name): string => oneLine(utf8.decode(nameBytes(name)))

/** Whether a path is `directory` or lies below it. */
export const isWithin = (path: Name, directory: Name): boolean =>
  directory === "" || path === directory || path.startsWith(`${directory}/`)

/** The index of a name in a list, or undefined; fastest if names are looked up in the order of the list. */
export const placesIn = (names: ReadonlyArray<Name>): (name: Name) => number | undefined => {
  let next = 0
  let places: ReadonlyMap<Name, number> | null = null
  return (name) => {
    if (names[next] === name) return next++
    if (next > 0 && names[next - 1] === name) return next - 1
    places ??= new Map(names.map((one, i) => [one, i]))
    const place = places.get(name)
    if (place !== undefined) next = place + 1
    return place
  }
}

/** The directory that holds a path; "" at the top. */
export const directoryOf = (path: Name): Name => path.slice(0, Math.max(0, path.lastIndexOf("/")))
