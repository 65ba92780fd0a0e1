// Machine: the port to the machine itself, for the doctor: its programs, its storage, codex's own directory.
// It leaves nothing behind, and a fault is an answer, never a failure.
import { Context, type Effect } from "effect"
import type { Answer, StorageFacts } from "./Checks.ts"
import type { Platform } from "./Check.ts"
import type { CodexHomeFacts } from "../../agent/CodexHome.live.ts"

export class Machine extends Context.Service<Machine, {
  /** The version of Node, as `v20.19.0`. */
  readonly nodeVersion: string
  readonly platform: Platform
  /** Runs a program in a directory and ends it, with everything that it started, after `limit` milliseconds. */
  readonly ask: (
    program: string,
    args: ReadonlyArray<string>,
    options: { readonly cwd: string; readonly limit: number }
  ) => Effect.Effect<Answer>
  /** Tries a directory for runs: writing and locking, in a scratch directory that is removed afterwards. */
  readonly storage: (root: string) => Effect.Effect<Omit<StorageFacts, "safetyProblem">>
  readonly codexHome: Effect.Effect<CodexHomeFacts>
  /** The names of the variables that agents of an engine do not get. */
  readonly withheld: (kind: "codex" | "claude") => Effect.Effect<ReadonlyArray<string>>
}>()("ooda-codex-review/services/Machine") {}
