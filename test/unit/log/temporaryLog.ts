// temporaryLog: a run in a directory of its own, with its log and the raw lines of it.
// Nothing here knows how the log is written; tests read files as bytes.
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { Cause, Effect, Exit } from "effect"
import { afterEach, beforeEach } from "vitest"
import { make } from "../../../src/log/EventLog.live.ts"
import { nodeFiles } from "../../../src/log/Files.live.ts"
import type { Head } from "../../../src/log/StreamKind.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import { reviewRun } from "../../../src/run/ReviewRun.ts"
import type { EventLog } from "../../../src/log/EventLog.ts"
import { fileOf, onlyRun } from "./onlyRun.ts"
import { created, note } from "./samples.ts"

/** A log without a lock, for tests with a single writing process. */
export const unlocked = (files = nodeFiles): EventLog["Service"] =>
  make({ files, locked: (_, use) => use, author: { version: "0.1.0", pid: 7 } })

/** The tag of an effect's failure with its fields except the path, or its success. */
export const outcome = async <A, E>(effect: Effect.Effect<A, E>): Promise<unknown> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isSuccess(exit)) return exit.value
  const error = Cause.squash(exit.cause)
  if (!(error instanceof Error) || !("_tag" in error)) throw error
  const { exitCode: _exit, path: _path, ...fields } = { ...JSON.parse(JSON.stringify(error)) }
  return fields
}

/** A run that exists only for one test. */
export const temporaryRun = () => {
  const state = { root: "" }
  beforeEach(() => {
    state.root = fs.mkdtempSync(path.join(os.tmpdir(), "ooda-log-"))
  })
  afterEach(() => fs.rmSync(state.root, { recursive: true, force: true }))
  const file = (name: string) => fileOf(state.root, name)
  return {
    ref: () => onlyRun(state.root),
    dir: () => fileOf(state.root),
    file,
    bytes: (): Buffer => fs.readFileSync(file("manifest.jsonl")),
    write: (bytes: Uint8Array) => fs.writeFileSync(file("manifest.jsonl"), bytes),
    lines: (): ReadonlyArray<string> => fs.readFileSync(file("manifest.jsonl"), "utf8").split(/(?<=\n)/)
  }
}

/** Writes a log of `count` lines: the creation, then notes "2", "3", and so on. Returns the head after each. */
export const writeLines = Effect.fnUntraced(function*(
  log: EventLog["Service"],
  run: RunRef,
  count: number,
  nonce = "00ff"
) {
  const heads: Array<Head> = [yield* log.create(reviewRun, run, [created({ nonce })])]
  let head = heads[0]
  for (let i = 2; i <= count && head !== undefined; i++) {
    head = yield* log.append(reviewRun, run, head, [note(String(i))])
    heads.push(head)
  }
  return heads
})
