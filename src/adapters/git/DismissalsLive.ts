// DismissalsLive: the repository's dismissals, in a file of the worktree or of a commit.
// The one rule: no link is followed, and of a commit only a plain file counts: what is read is what git shows.
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import {
  Dismissals,
  DismissalsFailed,
  type DismissalsFrom,
  dismissalsName,
  type DismissalsReason
} from "../../services/Dismissals.ts"
import { programFault } from "../process/Exec.ts"
import { hasCode, systemFault } from "../process/SystemError.ts"
import { comparedWith } from "./Base.ts"
import { commitId, git } from "./Command.ts"

/** No more is read: a thousand dismissals are far less. */
const most = 1024 * 1024

// Nor is a pipe waited for.
const noLink = fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK

const failed = (reason: DismissalsReason) => new DismissalsFailed({ reason })

const attempt = <A>(run: () => A): Effect.Effect<A, DismissalsFailed> =>
  Effect.try({
    try: run,
    catch: (error) => error instanceof DismissalsFailed ? error : failed(systemFault(error))
  })

/** Opens the file, or null when it is not there. Throws on a link and on anything but a plain file. */
const opened = (worktree: string, flags: number): number | null => {
  const directory = fs.lstatSync(join(worktree, ".ooda"), { throwIfNoEntry: false })
  if (directory === undefined) return null
  if (!directory.isDirectory()) throw failed({ _tag: "NoPlainFile" })
  try {
    const fd = fs.openSync(join(worktree, dismissalsName), flags | noLink, 0o644)
    if (fs.fstatSync(fd).isFile()) return fd
    fs.closeSync(fd)
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null
    if (!hasCode(error, "ELOOP")) throw error
  }
  throw failed({ _tag: "NoPlainFile" })
}

const inWorktree = (worktree: string): string => {
  const fd = opened(worktree, fs.constants.O_RDONLY)
  if (fd === null) return ""
  try {
    if (fs.fstatSync(fd).size > most) throw failed({ _tag: "TooLarge", most })
    return fs.readFileSync(fd, "utf8")
  } finally {
    fs.closeSync(fd)
  }
}

const asked = Effect.fnUntraced(function*(worktree: string, args: ReadonlyArray<string>) {
  const done = yield* git(worktree, args)
  return done.code === 0 ? done.stdout : yield* failed(programFault("git", done))
})

const inCommit = Effect.fnUntraced(function*(worktree: string, commit: string) {
  const entry = yield* asked(worktree, ["ls-tree", "--full-tree", "--long", commit, "--", dismissalsName])
  if (entry === "") return ""
  const [mode = "", , blob = "", size = ""] = entry.trim().split(/\s+/)
  if (!mode.startsWith("100")) return yield* failed({ _tag: "NoPlainFile" })
  if (Number(size) > most) return yield* failed({ _tag: "TooLarge", most })
  return yield* asked(worktree, ["cat-file", "blob", blob])
})

/** Fails where git ignores the file: it is then in no identity, and takes effect without a new review. */
const refuseIgnored = Effect.fnUntraced(function*(worktree: string) {
  const done = yield* git(worktree, ["check-ignore", "--quiet", "--", dismissalsName])
  if (done.code !== 1) return yield* failed(done.code === 0 ? { _tag: "Ignored" } : programFault("git", done))
})

const read = Effect.fn("Dismissals.read")(function*(worktree: string, from: DismissalsFrom) {
  if (from._tag === "Worktree") {
    const text = yield* attempt(() => inWorktree(worktree))
    if (text !== "") yield* refuseIgnored(worktree)
    return text
  }
  const [named, commit] = from._tag === "Base"
    ? [from.branch, yield* comparedWith(worktree, from.branch)] as const
    : [from.revision, yield* commitId(worktree, from.revision)] as const
  return commit === null ? yield* failed({ _tag: "NoCommit", revision: named }) : yield* inCommit(worktree, commit)
})

/** Writes all of a line at once, behind a newline where the last line has none. */
const append = (worktree: string, line: string): void => {
  if (!fs.existsSync(join(worktree, ".ooda"))) fs.mkdirSync(join(worktree, ".ooda"))
  const { O_APPEND, O_CREAT, O_RDWR } = fs.constants
  const fd = opened(worktree, O_RDWR | O_APPEND | O_CREAT)
  if (fd === null) throw failed({ _tag: "NoPlainFile" })
  try {
    const { size } = fs.fstatSync(fd)
    const last = Buffer.alloc(1)
    const unended = size > 0 && fs.readSync(fd, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a
    fs.writeSync(fd, `${unended ? "\n" : ""}${line}\n`)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** The live layer. Needs the git program where a commit is read. */
export const layer = Layer.succeed(Dismissals, {
  read,
  add: Effect.fn("Dismissals.add")((worktree, line) =>
    Effect.andThen(refuseIgnored(worktree), attempt(() => append(worktree, line)))
  )
})
