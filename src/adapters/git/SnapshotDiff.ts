// SnapshotDiff: what two snapshots of one repository hold differently: the names of the files, and a bounded diff.
// Nothing of the repository decides how: no filter of it is run, and no program of its settings.
import { Effect } from "effect"
import { shownName } from "../../core/agent/Snapshot.ts"
import { nameOf } from "./Index.ts"
import { must } from "./Must.ts"

/** Two commits that hold snapshots of the repository at `root`. `prefix` is the way to it from the worktree. */
export interface Pair {
  readonly root: string
  readonly from: string
  readonly to: string
  readonly prefix: string
}

/** A pattern of files for git: without a slash it matches at any depth. */
const pathspec = (pattern: string): string =>
  `:(glob)${pattern.includes("/") ? pattern.replace(/^\//, "") : `**/${pattern}`}`

/** The files that differ and that these patterns match. */
export const changedIn = ({ from, prefix, root, to }: Pair, patterns: ReadonlyArray<string>) =>
  must(root, ["diff", "--name-only", "--no-renames", "-z", from, to, "--", ...patterns.map(pathspec)], {}, "").pipe(
    Effect.map((text) => text.split("\0").filter((name) => name !== "").map((name) => prefix + name))
  )

// A line of code is about so long. Whole files are asked for only while their lines can be shown.
const perLine = 40
// The names are arguments of a program.
const mostFiles = 500

/** How many lines of each file differ, by its name in bytes; git counts none of a file that is no text. */
const counted = (text: string): ReadonlyArray<{ readonly name: string; readonly lines: number }> =>
  text.split("\0").flatMap((entry) => {
    const [, added = "", removed = "", name] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(entry) ?? []
    return name === undefined ? [] : [{ name, lines: (Number(added) || 0) + (Number(removed) || 0) }]
  })

/** The names of the files that differ, and at most about `most` characters of how. */
export const diffOf = ({ from, prefix, root, to }: Pair, most: number) =>
  Effect.gen(function*() {
    const files = counted(yield* must(root, ["diff", "--numstat", "--no-renames", "-z", from, to, "--"], {}, ""))
    let left = Math.ceil(most / perLine)
    const shown = files.slice(0, mostFiles).filter(({ lines }) => lines <= left && (left -= lines + 5) >= 0)
    const args = ["diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", from, to, "--"]
    const names = shown.map(({ name }) => `:(literal)${nameOf(name)}`)
    const text = names.length === 0 ? "" : yield* must(root, ["-c", "core.quotePath=false", ...args, ...names])
    return {
      files: files.map(({ name }) => shownName(prefix + name)),
      text: text === "" ? "" : `${text.slice(0, most)}\n`,
      whole: shown.length === files.length && text.length <= most
    }
  })
