// CompletedValues: the words and places that values of subcommands can be, as completions offer them.
// effect/cli knows them as texts, since each is read as a step would read it.
import type { Completions } from "effect/cli"
import { Consent } from "../core/agent/TaskEvent.ts"
import { FailOn } from "../core/ci/FailOn.ts"
import { gates, planTimes } from "../core/hook/HookTable.ts"
import { scopes } from "../core/hook/InstallStatus.ts"
import { actions as ofCi } from "./ciFlags.ts"
import { actions as ofFleet } from "./fleetFlags.ts"
import { actions as ofHook } from "./hookFlags.ts"

/** The words that a value can be: of a flag wherever it is, or of one flag or argument of a subcommand. */
export const choices: Readonly<Record<string, ReadonlyArray<string>>> = {
  agent: ["codex", "claude"],
  allow: Consent.literals,
  retro: ["never", "agent"],
  "ci ACTION": ofCi,
  "fail-on": FailOn.literals,
  "fork-tests": ["never", "always"],
  mode: ["review", "converge"],
  "config ACTION": ["show"],
  "fleet ACTION": ofFleet,
  "fleet retro": ["park", "clean"],
  "hook ACTION": ofHook,
  gate: gates,
  plans: planTimes,
  "hook scope": scopes,
  then: ["converge"]
}

/** Flags and arguments of subcommands that are files or directories, by their names. */
export const places: Readonly<Record<string, Completions.ArgumentType>> = {
  attestation: { _tag: "Path", pathType: "file" },
  out: { _tag: "Path", pathType: "file" },
  "out-dir": { _tag: "Path", pathType: "directory" },
  plan: { _tag: "Path", pathType: "file" },
  work: { _tag: "Path", pathType: "directory" }
}
