// testing: the test kit for programs that embed this one: a machine in memory, arbitraries, sentences, a model.
// We test the program with this same kit.
export { arbitraries, moves } from "./testing/Arbitraries.ts"
export type { Fields, History, Move, Overridable, Overrides, ReportParts } from "./testing/Arbitraries.ts"
export { type Expected, given, type RunPosition, manifestAt } from "./testing/Given.ts"

/**
 * All ports in memory over one `World`: `Memory.layer({ script, eventLog: yours, ... })`. `Memory.git()`,
 * `Memory.eventLog` and so on are the layers of single ports; all but the log and GitHub read the world,
 * `Memory.world()`.
 */
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
/** Scripts of reviewers: `Scripted.clean(3000)`, `Scripted.issues()`, `Scripted.silence`, ... */
export * as Scripted from "./testing/Scripted.ts"
/** Scripts of agents: `ScriptedAgent.answers("Done.")`, `ScriptedAgent.inOrder(first, second)`, ... */
export * as ScriptedAgent from "./testing/ScriptedAgent.ts"

/** Effects on one machine under virtual time: `System.start(Memory.layer())`. */
export * as System from "./testing/System.ts"
/** The law that the program does what a small model predicts: `ProgramModel.check(() => Memory.layer({ ... }))`. */
export * as ProgramModel from "./testing/model/Commands.ts"
