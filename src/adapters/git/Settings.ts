// Settings: copies those settings of a repository that decide how its files and differences look.
// Settings that run programs, or that lead to another worktree or repository, are not copied.
import { appendFileSync, copyFileSync, existsSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { git } from "./Command.ts"
import { gitPaths } from "./Scratch.ts"

// Not copied: where the working copy is, hooks, monitors and included files.
const leftAlone = [
  "core\\.(worktree|bare|hookspath|fsmonitor|untrackedcache|splitindex|repositoryformatversion)",
  "extensions\\.(worktreeconfig|objectformat)",
  "(include|includeif|branch|submodule|maintenance|gc)\\."
]
const left = new RegExp(`^(${leftAlone.join("|")})`, "i")

// A merge or pick under way, the ends of a shallow clone, and rules about files.
const files = [
  "shallow",
  "MERGE_HEAD",
  "MERGE_MSG",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "REBASE_HEAD",
  "info/exclude",
  "info/attributes",
  "info/sparse-checkout"
]

/** One setting as a file of settings holds it. A key without a value means true. */
const written = (entry: string): string => {
  const end = entry.indexOf("\n")
  const [key, value] = end < 0 ? [entry, "true"] : [entry.slice(0, end), entry.slice(end + 1)]
  const [section, name] = [key.slice(0, key.indexOf(".")), key.slice(key.lastIndexOf(".") + 1)]
  const within = key.slice(section.length + 1, -name.length - 1)
  const quoted = (text: string) => `"${text.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"`
  return `[${section}${within === "" ? "" : ` ${quoted(within)}`}]\n\t${name} = ${quoted(value)}\n`
}

// A person's settings for all repositories may start programs too, and those would live on after the review.
const quiet = "[core]\n\thooksPath = /dev/null\n\tfsmonitor = false\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n"

/** Copies the settings of the repository around `root` into the private one at `into`. Fails with one line why not. */
export const copySettings = Effect.fnUntraced(function*(root: string, into: string) {
  const listed = yield* git(root, ["config", "--list", "--show-scope", "-z"])
  const parts = listed.stdout.split("\0")
  const own = parts.flatMap((scope, i) => {
    const entry = parts[i + 1]
    const ours = i % 2 === 0 && (scope === "local" || scope === "worktree") && entry !== undefined
    return ours && !left.test(entry) ? [written(entry)] : []
  })
  const paths = yield* gitPaths(root, files)
  yield* Effect.try({
    try: () => {
      appendFileSync(join(into, ".git/config"), own.join("") + quiet)
      for (const [i, from] of paths.entries()) {
        const to = join(into, ".git", files[i] ?? "")
        if (!existsSync(from)) continue
        mkdirSync(dirname(to), { recursive: true })
        copyFileSync(from, to)
      }
    },
    catch: (error) => error instanceof Error ? error.message : String(error)
  })
})
