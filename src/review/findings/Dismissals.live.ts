// Dismissals.live: the repository's dismissals, in a plain file of the worktree or of a commit.
import * as fs from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { Dismissals, DismissalsFailed, dismissalsName, type DismissalsReason } from "./Dismissals.ts"
import { PlainFileFailed } from "../../code/PlainFiles.ts"
import { systemFault } from "../../platform/SystemError.ts"
import { opened, readPlainFile, refuseIgnored } from "../../code/PlainFiles.live.ts"

const failed = (reason: DismissalsReason) => new DismissalsFailed({ reason })

const ofPlainFile = Effect.mapError(({ reason }: PlainFileFailed) => failed(reason))

/** Replaces the file by a text, whole or not at all. */
const replace = (worktree: string, text: string): void => {
  const path = join(worktree, dismissalsName)
  const fd = opened(worktree, dismissalsName, fs.constants.O_RDONLY)
  if (fd === null) throw failed({ _tag: "NoPlainFile" })
  const { mode } = fs.fstatSync(fd)
  fs.closeSync(fd)
  const next = `${path}.${process.pid}.tmp`
  const made = fs.openSync(next, "wx", mode & 0o777)
  try {
    fs.writeSync(made, text)
    fs.fsyncSync(made)
    fs.renameSync(next, path)
  } catch (error) {
    fs.rmSync(next, { force: true })
    throw error
  } finally {
    fs.closeSync(made)
  }
}

const faultOf = (error: unknown): DismissalsFailed =>
  error instanceof DismissalsFailed
    ? error
    : failed(error instanceof PlainFileFailed ? error.reason : systemFault(error))

/** Writes a whole line at once, after a newline if the last line has none. */
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

/** The live layer. Needs git if a commit is read. */
export const layer = Layer.succeed(
  Dismissals,
  Dismissals.of({
    read: Effect.fn("Dismissals.read")((worktree, from) => ofPlainFile(readPlainFile(worktree, dismissalsName, from))),
    add: Effect.fn("Dismissals.add")((worktree, line) =>
      Effect.andThen(
        ofPlainFile(refuseIgnored(worktree, dismissalsName)),
        Effect.try({ try: () => append(worktree, line), catch: faultOf })
      )
    ),
    replace: Effect.fn("Dismissals.replace")((worktree, text) =>
      Effect.try({ try: () => replace(worktree, text), catch: faultOf })
    )
  })
)
