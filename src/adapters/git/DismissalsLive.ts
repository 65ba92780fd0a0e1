// DismissalsLive: the repository's dismissals, in a plain file of the worktree or of a commit.
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
import { PlainFileFailed } from "../../services/PlainFiles.ts"
import { programFault } from "../process/Exec.ts"
import { systemFault } from "../process/SystemError.ts"
import { git } from "./Command.ts"
import { opened, readPlainFile } from "./PlainFilesLive.ts"

const failed = (reason: DismissalsReason) => new DismissalsFailed({ reason })

/** Fails where git ignores the file: it is then in no identity, and takes effect without a new review. */
const refuseIgnored = Effect.fnUntraced(function*(worktree: string) {
  const done = yield* git(worktree, ["check-ignore", "--quiet", "--", dismissalsName])
  if (done.code !== 1) return yield* failed(done.code === 0 ? { _tag: "Ignored" } : programFault("git", done))
})

const read = Effect.fn("Dismissals.read")(function*(worktree: string, from: DismissalsFrom) {
  const text = yield* Effect.mapError(readPlainFile(worktree, dismissalsName, from), ({ reason }) => failed(reason))
  if (from._tag === "Worktree" && text !== "") yield* refuseIgnored(worktree)
  return text
})

/** Writes all of a line at once, behind a newline where the last line has none. */
const append = (worktree: string, line: string): void => {
  if (!fs.existsSync(join(worktree, ".ooda"))) fs.mkdirSync(join(worktree, ".ooda"))
  const { O_APPEND, O_CREAT, O_RDWR } = fs.constants
  const fd = opened(worktree, dismissalsName, O_RDWR | O_APPEND | O_CREAT)
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
export const layer = Layer.succeed(
  Dismissals,
  Dismissals.of({
    read,
    add: Effect.fn("Dismissals.add")((worktree, line) =>
      Effect.andThen(
        refuseIgnored(worktree),
        Effect.try({
          try: () => append(worktree, line),
          catch: (error) =>
            error instanceof DismissalsFailed
              ? error
              : failed(error instanceof PlainFileFailed ? error.reason : systemFault(error))
        })
      )
    )
  })
)
