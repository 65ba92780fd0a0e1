// Place: where a finding points, as a reviewer writes it and as a path inside the repository.
// The one rule: a path that leaves the repository is no place; nothing downstream ever opens one.
import type { Lines } from "../run/Dismissal.ts"
import { hasHidden } from "../text/Hidden.ts"

/** A place as written by a reviewer: the path untouched, the lines if it named any. */
export interface WrittenPlace {
  readonly path: string
  readonly lines: Lines | null
}

const last = 2 ** 31

/** A range from two numbers in either order; null when they cannot be line numbers. */
export const linesFrom = (start: number, end: number): Lines | null => {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return null
  const [low, high] = start <= end ? [start, end] : [end, start]
  return low < 1 || high > last ? null : { start: low, end: high }
}

const suffix = /(?::(\d{1,10})(?:[-–](\d{1,10})|:\d{1,10})?|#L(\d{1,10})(?:-L?(\d{1,10}))?)$/
const longest = 4096

/** Reads `path:10-12`, `path:10`, `path:10:4`, `path#L10-L12` or a bare path; null for what is no path at all. */
export const parsePlace = (text: string): WrittenPlace | null => {
  if (text.length > longest) return null
  const bare = text.trim().replace(/^`+/, "").replace(/(?<![`.,])[`.,]+$/, "")
  if (bare === "") return null
  const found = suffix.exec(bare)
  if (found === null) return looksLikePath(bare) ? { path: bare, lines: null } : null
  const path = bare.slice(0, found.index)
  if (path === "") return null
  const start = Number(found[1] ?? found[3])
  return { path, lines: linesFrom(start, Number(found[2] ?? found[4] ?? start)) }
}

const looksLikePath = (text: string): boolean => /[\\/]/.test(text) || /^[^\s]+\.[A-Za-z]\w{0,9}$/.test(text)

/** Writes a place the way codex does; the inverse of `parsePlace`. */
export const renderPlace = (place: WrittenPlace): string =>
  place.lines === null ? place.path : `${place.path}:${place.lines.start}-${place.lines.end}`

const drive = /^[A-Za-z]:(?=\/|$)/

// Splits into segments with `.` dropped and `..` applied; null when `..` climbs above the start.
const segments = (path: string): ReadonlyArray<string> | null => {
  const kept: Array<string> = []
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue
    if (part !== "..") kept.push(part)
    else if (kept.pop() === undefined) return null
  }
  return kept
}

const withSlashes = (path: string): string => path.trim().replace(/\\/g, "/")
const isAbsolute = (path: string): boolean => path.startsWith("/") || drive.test(path)

/**
 * The path relative to the repository's root, with `/` as separator; null when it is not inside: absolute elsewhere,
 * climbing out (`../../etc/passwd`), a home or URL form, the root itself, or holding hidden characters.
 * `root` is the absolute path of the worktree. The file need not exist.
 */
export const insideRoot = (root: string, written: string): string | null => {
  if (hasHidden(written)) return null
  const path = withSlashes(written)
  if (path.startsWith("~") || /^[A-Za-z][A-Za-z0-9+.-]+:\/\//.test(path)) return null
  const inner = isAbsolute(path) ? below(withSlashes(root), path) : segments(path)
  return inner === null || inner.length === 0 ? null : inner.join("/")
}

const below = (root: string, path: string): ReadonlyArray<string> | null => {
  const outer = segments(root)
  const all = segments(path)
  if (outer === null || all === null || root.startsWith("/") !== path.startsWith("/")) return null
  const folds = drive.test(root)
  const same = (a: string, b: string | undefined) => a === b || (folds && a.toLowerCase() === b?.toLowerCase())
  return outer.every((part, i) => same(part, all[i])) ? all.slice(outer.length) : null
}
