// RunExports.live: writes a run into a directory as a step of this machine would have left it there.
// No name of a file in a database leads out of the run's directory.
import * as fs from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Effect, Layer } from "effect"
import { jsonText } from "../text/Json.ts"
import { type RunContents, RunExports } from "./FleetStore.ts"
import { StoreFailed } from "../run/RunStore.ts"
import { makeDirectories } from "../platform/Files.ts"
import { latestFile } from "../run/Layout.live.ts"
import { logFiles, runDirectory } from "../log/LogFile.live.ts"
import { attempt } from "../run/SmallFile.live.ts"

const isInside = (path: string): boolean =>
  path !== "" && path.split("/").every((part) => part !== "" && part !== "." && part !== ".." && !part.includes("\0"))

const put = (path: string, bytes: Buffer | string): void => {
  makeDirectories(dirname(path))
  fs.writeFileSync(path, bytes, { flag: "wx", mode: 0o600, flush: true })
}

const written = (root: string, { files, isLatest, logs, ...contents }: RunContents): void => {
  const run = { ...contents.run, root }
  const places = [...files.map(({ path }) => path), run.repoId, run.targetKey, run.runId]
  const odd = places.find((path) => !isInside(path))
  if (odd !== undefined) throw new StoreFailed({ path: odd, reason: { _tag: "NotARun" } })
  if (logs.length === 0) throw new StoreFailed({ path: runDirectory(contents.run), reason: { _tag: "NotARun" } })
  if (fs.existsSync(root) && fs.readdirSync(root).length > 0) {
    throw new StoreFailed({ path: root, reason: { _tag: "NotEmpty" } })
  }
  for (const { bytes, path } of files) put(join(runDirectory(run), path), bytes)
  for (const { bytes, head, kind } of logs) {
    const { head: headFile, log } = logFiles(run, kind)
    put(log, bytes)
    put(headFile, jsonText({ ...head, offset: bytes.length }))
  }
  if (isLatest) put(latestFile(run), run.runId)
}

export const layer: Layer.Layer<RunExports> = Layer.succeed(
  RunExports,
  RunExports.of({
    write: Effect.fn("RunExports.write")((cwd: string, directory: string, contents: RunContents) => {
      const root = resolve(cwd, directory)
      return Effect.as(attempt(root, () => written(root, contents)), root)
    })
  })
)
