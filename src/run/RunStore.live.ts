// RunStore.live: the store of runs on this machine's disk.
// It is private to the user, and checked before use. Small files are replaced by rename, never edited.
import { Effect, Layer } from "effect"
import type { RunRef } from "../log/Refs.ts"
import type { BatchRef } from "./Refs.ts"
import { textName } from "./LongText.ts"
import { RunStore, StoreFailed } from "./RunStore.ts"
import { LockFailed, withFileLock } from "../log/FileLock.live.ts"
import { attempt, digestOf, fileDigest, replaceFile } from "./SmallFile.live.ts"
import { makeDirectories } from "../platform/Files.ts"
import { batchPlaces, findingsFile, historyFile, keptFile, latestFile, runPlaces, targetLock } from "./Layout.live.ts"
import { runDirectory, targetDirectory } from "../log/LogFile.live.ts"
import { latest, list, newAttemptId, newRunId, nonce, runs } from "./RunNames.live.ts"
import { clearIsolated, clearScratches, isolating, withIsolated } from "./Copies.live.ts"
import { cutTranscripts, jobs, look, remove, usageOf } from "./Removal.live.ts"
import { open, prepare, roots } from "./StateRoot.live.ts"

const replace = (path: string, text: string) => attempt(path, () => replaceFile(path, text))

export const layer: Layer.Layer<RunStore> = Layer.succeed(
  RunStore,
  RunStore.of({
    open,
    roots,
    targetPlace: targetDirectory,
    runPlaces,
    batchPlaces,
    newRunId: Effect.withSpan(newRunId, "RunStore.newRunId"),
    nonce: Effect.withSpan(nonce, "RunStore.nonce"),
    newAttemptId: Effect.withSpan(newAttemptId, "RunStore.newAttemptId"),
    latest,
    runs,
    list,
    prepare,
    locked: (target, use) =>
      withFileLock(targetLock(target), use).pipe(
        Effect.withSpan("RunStore.locked"),
        Effect.mapError((error) =>
          error instanceof LockFailed ? new StoreFailed({ path: error.path, reason: error.reason }) : error
        )
      ),
    clearScratches,
    create: Effect.fn("RunStore.create")((run: RunRef) =>
      attempt(runDirectory(run), () => makeDirectories(runDirectory(run)))
    ),
    point: Effect.fn("RunStore.point")((run: RunRef) => replace(latestFile(run), run.runId)),
    keepText: Effect.fn("RunStore.keepText")(function*(run: RunRef, text: string) {
      const digest = digestOf(Buffer.from(text))
      yield* replace(keptFile(run, textName(digest.hex)), text)
      return digest
    }),
    keeps: Effect.fn("RunStore.keeps")((run: RunRef, text: string) => {
      const { hex } = digestOf(Buffer.from(text))
      const file = keptFile(run, textName(hex))
      return attempt(file, () => fileDigest(file)?.hex === hex)
    }),
    digest: Effect.fn("RunStore.digest")((run: RunRef, name: string) =>
      attempt(keptFile(run, name), () => fileDigest(keptFile(run, name)))
    ),
    writeFindings: Effect.fn("RunStore.writeFindings")((batch: BatchRef, text: string) =>
      replace(findingsFile(batch), text)
    ),
    writeHistory: Effect.fn("RunStore.writeHistory")((run: RunRef, text: string) => replace(historyFile(run), text)),
    isolating,
    clearIsolated,
    withIsolated,
    usage: Effect.fn("RunStore.usage")((root: string) => Effect.sync(() => usageOf(root))),
    cutTranscripts,
    look,
    jobs,
    remove
  })
)
