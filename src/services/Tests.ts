// Tests: the port to the project's tests: one line of the shell in, its exit and the end of its output out.
// A test survives whoever started it. Any later process can follow it to its end, or end it.
import { Context, type Effect, Schema } from "effect"
import type { Digest } from "../core/run/Event.ts"
import type { RunRef, TestRef } from "../core/run/Refs.ts"
import { GuardReason, guardReasonText } from "./GuardReason.ts"

/** A test could not be started, followed or stopped by this machine. `what` says what was tried. */
export class TestFault extends Schema.TaggedError<TestFault>()("TestFault", {
  what: Schema.String,
  reason: GuardReason
}) {
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
   * Follows a test to its end, whoever started it; null where it never began, or where nobody knows how it ended. Who
   * stops following leaves the test as it is.
   */
  readonly follow: (test: TestRef) => Effect.Effect<TestEnd | null, TestFault>
  /** Ends tests and everything they started. Returns how many processes of theirs lived. */
  readonly stop: (tests: ReadonlyArray<TestRef>) => Effect.Effect<number, TestFault>
  /** Where the whole output of a test lies, in a text for people. */
  readonly place: (run: RunRef, test: number) => string
}>()("ooda-codex-review/services/Tests") {}
