// Moves: marks of HEAD and of branches that change with every move, also with one that is undone again.
// They come from git's notes on moves. Where git keeps none, the times of the files that hold the refs stand in.
import { createHash } from "node:crypto"
import { fstatSync, lstatSync, readFileSync, realpathSync } from "node:fs"
import { isAbsolute, join } from "node:path"
import { sliceOf, withFile } from "../process/Slices.ts"

const tail = 8192

const digestOf = (text: string): string => createHash("sha256").update(text, "latin1").digest("hex")

/** The last two lines of a note on moves, the last one first; none where there is no such note. */
const lastLines = (path: string): ReadonlyArray<string> => {
  try {
    return withFile(path, (fd) => {
      const end = sliceOf(fd, Math.max(0, fstatSync(fd).size - tail), tail).toString("latin1").trimEnd()
      return end === "" ? [] : end.split("\n").slice(-2).reverse()
    })
  } catch {
    return []
  }
}

const textOf = (path: string): string => {
  try {
    return readFileSync(path, "latin1").trim()
  } catch {
    return ""
  }
}

/** What changes with every write of a file, also behind a link; the same text where there is no such file. */
export const factsOf = (path: string | Buffer): string => {
  try {
    // Most of the files that are asked for are not there, and an error takes far longer than an answer.
    const facts = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    if (facts === undefined) return "none"
    const { ctimeNs, ino, mtimeNs, size } = facts
    return `${ino} ${size} ${mtimeNs} ${ctimeNs}${facts.isSymbolicLink() ? ` ${factsOf(realpathSync(path))}` : ""}`
  } catch {
    return "none"
  }
}

/** The directory of what all worktrees of a repository share. `gitDirectory` is the one of a worktree. */
export const sharedOf = (gitDirectory: string): string => {
  const named = textOf(join(gitDirectory, "commondir"))
  return named === "" ? gitDirectory : isAbsolute(named) ? named : join(gitDirectory, named)
}

/** The list of the tables that hold refs, which every move of one writes anew; "" where refs lie in files. */
export const tablesOf = (gitDirectory: string): string => {
  const facts = factsOf(join(gitDirectory, "reftable/tables.list"))
  return facts === "none" ? "" : `\n${facts}`
}

// A ref without a file of its own stands among the packed ones, or in a table.
const written = (shared: string, ref: string): string => {
  const own = factsOf(join(shared, ref))
  return (own === "none" ? factsOf(join(shared, "packed-refs")) : own) + tablesOf(shared)
}

/** Where a worktree's HEAD stands after its last move, and after the move before that where git has a note of it. */
export interface Moves {
  readonly moved: string
  readonly movedBefore?: string
  /** The files that name HEAD's commit: a linked worktree's branch may move without a note beside its HEAD. */
  readonly held: string
}

/** The marks of HEAD's moves. `gitDirectory` is the one of the worktree. */
export const movesOf = (gitDirectory: string): Moves => {
  const head = join(gitDirectory, "HEAD")
  const [, ref] = /^ref: (.+)$/.exec(textOf(head)) ?? []
  const named = ref === undefined ? "" : written(sharedOf(gitDirectory), ref)
  const held = digestOf(`${factsOf(head)}\n${named}${tablesOf(gitDirectory)}`)
  const [last, before] = lastLines(join(gitDirectory, "logs/HEAD"))
  return {
    held,
    moved: last === undefined ? held : digestOf(last),
    ...(before === undefined ? {} : { movedBefore: digestOf(before) })
  }
}

/** One mark over the moves of some refs. `gitDirectory` is the one of a worktree. */
export const movesOfRefs = (gitDirectory: string, refs: ReadonlyArray<string>): string => {
  const shared = sharedOf(gitDirectory)
  const one = (ref: string): string =>
    [ref, lastLines(join(shared, "logs", ref))[0] ?? "", written(shared, ref)].join("\n")
  return digestOf(refs.map(one).join("\n"))
}
