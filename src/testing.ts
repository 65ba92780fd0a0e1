// testing: the test kit for programs that embed this one: a machine in memory, arbitraries, sentences, a model.
// The one rule: we test the program with the very same kit.
export { arbitraries, moves } from "./testing/Arbitraries.ts"
export type { Fields, History, Move, Overridable, Overrides, ReportParts } from "./testing/Arbitraries.ts"
export { type Expected, given, type RunPosition, manifestAt } from "./testing/Given.ts"

/** All ports in memory over one `World`: `Memory.layer({ script, eventLog: yours, ... })`. */
export * as Memory from "./testing/Memory.ts"
export {
  lives,
  type RanTest,
  type Reviewer,
  type Script,
  type ScriptedTest,
  type TestScript,
  type Witness,
  type Worker,
  World
} from "./testing/World.ts"
/** What reviewers do: `Scripted.clean(3000)`, `Scripted.issues()`, `Scripted.silence`, ... */
export * as Scripted from "./testing/Scripted.ts"
/** What agents do: `ScriptedAgent.answers("Done.")`, `ScriptedAgent.inOrder(first, second)`, ... */
export * as ScriptedAgent from "./testing/ScriptedAgent.ts"

/** The memory layer of each port by itself. All but the log and GitHub read the world, `MemoryWorld.layer`. */
export * as MemoryAgent from "./testing/memory/Agent.ts"
export * as MemoryReviewers from "./testing/memory/Reviewers.ts"
export * as MemoryCommits from "./testing/memory/Code.ts"
export * as MemoryDismissals from "./testing/memory/Code.ts"
export * as MemoryDrivers from "./testing/memory/Machine.ts"
export * as MemoryEventLog from "./testing/memory/EventLog.ts"
export * as MemoryGit from "./testing/memory/Code.ts"
export * as MemoryGitHub from "./testing/memory/Code.ts"
export * as MemoryPlanFiles from "./testing/memory/Machine.ts"
export * as MemoryReviewFiles from "./testing/memory/Reviewers.ts"
export * as MemoryRunStore from "./testing/memory/RunStore.ts"
export * as MemorySignals from "./testing/memory/Machine.ts"
export * as MemorySnapshots from "./testing/memory/Code.ts"
export * as MemoryTests from "./testing/memory/Agent.ts"
export * as MemoryWorld from "./testing/World.ts"

/** Effects on one machine under virtual time: `System.start(Memory.layer())`. */
export * as System from "./testing/System.ts"
/** The law that the program does what a small model foretells: `ProgramModel.check(() => Memory.layer({ ... }))`. */
export * as ProgramModel from "./testing/model/Commands.ts"
