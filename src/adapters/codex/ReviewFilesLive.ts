// ReviewFilesLive: what ended reviewers left on disk, and their session files in codex's home.
// The one rule: asked twice, by two steps at once, it answers the same and leaves the same copy.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs"
import { Effect, Layer } from "effect"
import { type Evidence, ReviewFiles, ReviewFilesFailed } from "../../services/ReviewFiles.ts"
import type { Digest } from "../../core/run/Event.ts"
import type { SlotFiles } from "../../core/run/Paths.ts"
import { sessionId } from "../../core/verdict/Transcript.ts"
import { digestOf } from "../store/Digests.ts"
import { systemFault } from "../process/SystemError.ts"
import { outputOf } from "./ReviewerOutput.ts"
import { codexHome } from "./CodexHome.ts"
import { findSession, reviewOutput } from "./SessionFile.ts"

/** Keeps a copy of the session's review beside the slot's files, by rename. */
const keep = (path: string, output: unknown): Digest => {
  const bytes = Buffer.from(`${JSON.stringify(output)}\n`)
  const next = `${path}.${process.pid}.new`
  rmSync(next, { force: true })
  const fd = openSync(next, "wx", 0o600)
  try {
    // A short write is told by its count; the copy is small, so it is simply not kept then.
    if (writeSync(fd, bytes) !== bytes.length) throw new Error("the disk is full")
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
  renameSync(next, path)
  return digestOf(bytes)
}

const session = (logHead: string, home: string): Evidence["session"] => {
  const id = sessionId(logHead)
  const path = id === null ? null : findSession(home, id)
  if (path === null) return { _tag: "Absent" }
  try {
    const output = reviewOutput(path)
    return output === undefined ? { _tag: "Absent" } : { _tag: "Found", output }
  } catch {
    // Moved or unreadable meanwhile: the verdict then comes from what codex printed.
    return { _tag: "Absent" }
  }
}

const evidence = (files: SlotFiles, acting: boolean, home: string): Evidence => {
  const { digests, ...texts } = outputOf(files)
  const found = session(texts.logHead, home)
  const review = acting && found._tag === "Found" && found.output !== null ? keep(files.review, found.output) : null
  return { ...texts, session: found, digests: { ...digests, review } }
}

/** The live files of reviewers. */
export const layer: Layer.Layer<ReviewFiles> = Layer.succeed(ReviewFiles, {
  evidence: Effect.fn("ReviewFiles.evidence")((files, options) =>
    Effect.flatMap(codexHome, (home) =>
      Effect.try({
        try: () => evidence(files, options?.acting ?? true, home),
        catch: (error) => new ReviewFilesFailed({ path: files.log, reason: systemFault(error) })
      }))
  )
})
