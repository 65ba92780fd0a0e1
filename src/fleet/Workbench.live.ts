// Workbench.live: the places of deliveries: directories of one worker, each named by the token of its delivery.
import * as fs from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Schema } from "effect"
import { Level } from "../run/Level.ts"
import { type AttemptRef, deliveredId, type ReviewRef } from "../run/Refs.ts"
import { type LeftFile, Workbench } from "./Deliveries.ts"
import { makeDirectories, sliceOf } from "../platform/Files.ts"
import { hasCode } from "../platform/SystemError.ts"
import { attemptFiles, workPath } from "../run/Layout.live.ts"
import { runDirectory } from "../log/LogFile.live.ts"
import { attempt as trying, replaceFile } from "../run/SmallFile.live.ts"
import { shortenTranscript } from "../run/Removal.live.ts"

const mostBytes = 16 * 1024 * 1024
const endBytes = 64 * 1024
const noteName = "delivery.json"

const Place = Schema.fromJsonString(Schema.Struct({
  run: Schema.Struct({
    root: Schema.String,
    repoId: Schema.String,
    targetKey: Schema.String,
    runId: Schema.String
  }),
  level: Level,
  batch: Schema.Int,
  slot: Schema.Int,
  attempt: Schema.Int,
  id: Schema.String
}))
const placeText = Schema.encodeSync(Place)
const placeIn = Schema.decodeUnknownOption(Place)

/** The contents of a file, or its beginning and end if it is too long; null if missing. */
const contents = (path: string): Buffer | null => {
  try {
    const fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW)
    try {
      const { size } = fs.fstatSync(fd)
      if (size <= mostBytes) return sliceOf(fd, 0, size)
      const ends = Buffer.concat([sliceOf(fd, 0, 2 * endBytes), sliceOf(fd, size - 2 * endBytes, 2 * endBytes)])
      return shortenTranscript(ends) ?? ends
    } finally {
      fs.closeSync(fd)
    }
  } catch (error) {
    if (hasCode(error, "ENOENT")) return null
    throw error
  }
}

/**
 * The directory of a worker of this machine below the work path of its fleet, by its name or else the machine's.
 * Created if missing; the worker that uses it holds `lock`. `elsewhere` is where the work path really leads, or the
 * `asked` path, if one of them is another path; else null.
 */
export const placeOf = (work: string, name: string | null, asked: string | null) => {
  const machine = name ?? hostname()
  const own = join(work, "workers", machine)
  return trying(own, () => {
    makeDirectories(own)
    const elsewhere = [fs.realpathSync(work), workPath(asked ?? work)].find((path) => path !== work) ?? null
    return { machine, own, lock: join(work, "workers", `.${machine}`), elsewhere }
  })
}

/** The workbench in a directory that no other worker of this machine uses. */
export const layer = (directory: string): Layer.Layer<Workbench> => {
  const deliveries = join(directory, "deliveries")

  const found = (): ReadonlyArray<AttemptRef> => {
    if (!fs.existsSync(deliveries)) return []
    return fs.readdirSync(deliveries).flatMap((name) => {
      const text = contents(join(deliveries, name, noteName))
      const place = text === null ? null : placeIn(text.toString())
      return place?._tag === "Some" && place.value.run.root === join(deliveries, name) ? [place.value] : []
    })
  }

  return Layer.succeed(
    Workbench,
    Workbench.of({
      open: Effect.fn("Workbench.open")(({ attempt, token }) =>
        trying(deliveries, () => {
          const root = join(deliveries, token)
          makeDirectories(root)
          const place = { ...attempt, id: deliveredId(attempt.id, token), run: { ...attempt.run, root } }
          try {
            replaceFile(join(root, noteName), placeText(place))
          } catch (error) {
            // It could not be found without its note.
            fs.rmSync(root, { recursive: true, force: true })
            throw error
          }
          return place
        })
      ),
      left: Effect.fn("Workbench.left")((review: ReviewRef) =>
        trying(runDirectory(review.run), () => {
          const { exit, journal, log, out, review: kept } = attemptFiles(review)
          return [journal, log, out, kept, exit].flatMap((path): ReadonlyArray<LeftFile> => {
            const bytes = contents(path)
            return bytes === null ? [] : [{ path: path.slice(runDirectory(review.run).length + 1), bytes }]
          })
        })
      ),
      close: Effect.fn("Workbench.close")(({ run: { root } }) =>
        trying(root, () => fs.rmSync(root, { recursive: true, force: true }))
      ),
      found: Effect.withSpan(trying(deliveries, found), "Workbench.found")
    })
  )
}
