// Tests: the port to the project's tests: one line of the shell in, its exit and the end of its output out.
// A test outlives the process that started it. Any later process can follow it to its end, or end it.
import { Context, type Effect, Schema } from "effect"
import { exits } from "../platform/Failure.ts"
import type { RunRef, TestRef } from "../log/Refs.ts"
import { GuardReason, guardReasonText } from "../platform/SystemFault.ts"
import type { Digest } from "../run/Event.ts"
import { type Identity, sameContent } from "../run/Identity.ts"
import type { DrivenEventOf, TestState } from "./State.ts"

/** A test could not be started, followed or stopped by this machine. `what` says what was tried. */
export class TestFault extends Schema.TaggedError<TestFault>()("TestFault", {
  what: Schema.String,
  reason: GuardReason
}) {
  readonly exitCode = exits.couldNot
  override get message() {
    return `${this.what}: ${guardReasonText(this.reason)}`
  }
}

/** How a test ended. `exit` is null where it was killed for its time; `tail` is the end of what it printed. */
export interface TestEnd {
  readonly exit: number | null
  readonly output: Digest
  readonly tail: string
}

/** A test to run: a line of the shell, its directory, and the most time it may take in milliseconds. */
export interface TestOrder {
  readonly command: string
  readonly cwd: string
  readonly timeout: number
}

export class Tests extends Context.Service<Tests, {
  /** Starts a test that a log has committed. It runs with all variables of the caller, and without a sandbox. */
  readonly start: (test: TestRef, order: TestOrder) => Effect.Effect<void, TestFault>
  /**
   * Follows a test of any process to its end; null if it never began, or its end is unknown. An interrupted caller
   * leaves the test running.
   */
  readonly follow: (test: TestRef) => Effect.Effect<TestEnd | null, TestFault>
  /** Ends tests and everything they started. Returns how many processes of theirs lived. */
  readonly stop: (tests: ReadonlyArray<TestRef>) => Effect.Effect<number, TestFault>
  /** Where the whole output of a test lies, in a text for people. */
  readonly place: (run: RunRef, test: number) => string
}>()("ooda-codex-review/services/Tests") {}

// The state of the project's tests: which runs next, whether all are green, or which one is red.
// A test counts for the code that it ran on: where the code changed while it ran, it says nothing and runs again, and so
// do the tests before it. A red test is run once more before it counts, unless its command was not found; a stopped one
// says nothing.

// How often a test may run while the code changes. After that it is red, or a test that changes code runs for ever.
const mostChanges = 3

/** How a shell exits if there is no such command. Another run of the same code would find none either. */
export const commandNotFound = 127

/** Whether the code changed while a test ran. Earlier versions did not record the code before. */
export const changedCode = ({ standing, started: { before } }: TestState): boolean =>
  standing._tag === "Finished" && before !== undefined && sameContent(before, standing.finished.content) === "Different"

/** The state of the tests. `test` of a red suite is the failure of `command` that counts, or its third run that changed code. */
export type Suite =
  /** `running` is a test that was started and has no end yet: its end is taken before anything is started. */
  | { readonly _tag: "Next"; readonly command: string; readonly running: TestState | null }
  | { readonly _tag: "Green" }
  | { readonly _tag: "Red"; readonly command: string; readonly test: DrivenEventOf<"TestFinished"> }

/** The last red run of a round's tests: it failed, or the code changed while it ran. */
export const lastRed = (tests: ReadonlyArray<TestState>, round: number): TestState | null =>
  tests.findLast((run) =>
    run.started.round === round && run.standing._tag === "Finished" &&
    (run.standing.finished.exit !== 0 || changedCode(run))
  ) ?? null

const endsOf = (command: string, runs: ReadonlyArray<TestState>) =>
  runs.flatMap((run) =>
    run.started.command === command && run.standing._tag === "Finished" ? [{ run, end: run.standing.finished }] : []
  )

/**
 * The state of the tests after these runs of them, oldest first. They count for the code that is there now: `present`, or
 * else what the last of them left.
 */
export const suite = (
  commands: ReadonlyArray<string>,
  runs: ReadonlyArray<TestState>,
  present: Identity | null = null
): Suite => {
  const running = runs.find(({ standing }) => standing._tag === "Running")
  if (running !== undefined) return { _tag: "Next", command: running.started.command, running }
  const last = runs.findLast(({ standing }) => standing._tag === "Finished")
  const now = present ?? (last?.standing._tag === "Finished" ? last.standing.finished.content : null)
  for (const command of commands) {
    const test = endsOf(command, runs).filter(({ run }) => changedCode(run))[mostChanges - 1]?.end
    if (test !== undefined) return { _tag: "Red", command, test }
  }
  for (const command of commands) {
    const ends = endsOf(command, runs).flatMap(({ end, run }) =>
      !changedCode(run) && now !== null && sameContent(end.content, now) !== "Different" ? [end] : []
    )
    if (ends.some(({ exit }) => exit === 0)) continue
    const red = ends.find(({ exit }) => exit === commandNotFound) ?? ends[1]
    return red === undefined ? { _tag: "Next", command, running: null } : { _tag: "Red", command, test: red }
  }
  return { _tag: "Green" }
}
