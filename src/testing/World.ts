// World: everything outside of a program on memory layers: the code, its reviewers, files and signals.
//
// The kit replaces every port by memory over one world, under virtual time. A test writes the world and the memory
// layers read it; the program under test never sees it. No layer has a fiber or a process: whether a reviewer runs is
// read off the clock, so it survives the step that started it, as a real one does. `System` is a machine that lives
// across many steps, `arbitraries/` makes every value and event, and `model/` plays random histories on a machine and
// on a second implementation of the contract that shares no code with it: where the two differ, one of them is wrong. A
// host that embeds the program checks its own layers with the same commands.
import { Context, Deferred, Effect, Layer, Ref } from "effect"
import type { Head } from "../log/StreamKind.ts"
import type { AgentEnding } from "../agent/AgentEnding.ts"
import type { AgentTask } from "../agent/Task.ts"
import type { AgentRef, TestRef } from "../log/Refs.ts"
import type { AttemptRef } from "../run/Refs.ts"
import type { AgentTurn } from "../agent/Agent.ts"
import type { Launch } from "../review/Reviewers.ts"
import type { SignalName } from "../platform/Process.ts"
import { clean, type Scripted } from "./Scripted.ts"
import { type AgentScript, answers, type ScriptedAgent } from "./ScriptedAgent.ts"

/** Says what a reviewer does, when it is started. */
export type Script = (attempt: AttemptRef, launch: Launch) => Scripted

/** A reviewer that was started. Times in milliseconds; `endsAt` is when it ends unless it is stopped before. */
export interface Reviewer {
  readonly attempt: AttemptRef
  /** With the banner that codex would have printed of itself. */
  readonly scripted: Scripted
  /** The line of the run's log that committed it. */
  readonly line: Head
  readonly startedAt: number
  readonly endsAt: number
  /** Whether its deadline ends it, before it ends by itself. */
  readonly deadline: boolean
  readonly stoppedAt: number | null
}

/** An attempt of an agent that was started; `ending` is the scripted one, or that of the limit that ends it before. */
export interface Worker {
  readonly attempt: AgentRef
  readonly task: AgentTask
  readonly turn: AgentTurn
  readonly scripted: ScriptedAgent
  readonly startedAt: number
  readonly endsAt: number
  readonly ending: AgentEnding
  readonly stoppedAt: number | null
  /** Completes when it is stopped. */
  readonly stopped: Deferred.Deferred<void>
}

/** How a test of the project ends: with an exit status, null where its time is up; never; or in an unknown way. */
export type ScriptedTest =
  | { readonly exit: number | null; readonly output?: string; readonly millis?: number }
  | "hangs"
  | "lost"

/** Says how a test ends; `nth` counts how often this line of the shell was run, from 1. */
export type TestScript = (command: string, nth: number) => ScriptedTest

/** A test that was started. Times in milliseconds. */
export interface RanTest {
  readonly test: TestRef
  readonly command: string
  readonly scripted: ScriptedTest
  readonly startedAt: number
  readonly stoppedAt: number | null
}

/** Whether a reviewer or an agent is still running at an instant. */
export const lives = (reviewer: Pick<Reviewer, "stoppedAt" | "endsAt">, now: number): boolean =>
  reviewer.stoppedAt === null && now < reviewer.endsAt

/** It sees every call that changes something, right before and right after it. It may make the call fail or wait. */
export type Witness = (call: string, when: "before" | "after") => Effect.Effect<void>

export class World extends Context.Service<World, {
  /** A name for the code under review: another name is another state of the working copy. */
  readonly code: Ref.Ref<string>
  readonly script: Ref.Ref<Script>
  /** Every reviewer that was ever started, in order. */
  readonly reviewers: Ref.Ref<ReadonlyArray<Reviewer>>
  readonly agentScript: Ref.Ref<AgentScript>
  /** Every attempt of an agent that was ever started, in order. */
  readonly agents: Ref.Ref<ReadonlyArray<Worker>>
  readonly testScript: Ref.Ref<TestScript>
  /** Every test that was ever started, in order. */
  readonly tests: Ref.Ref<ReadonlyArray<RanTest>>
  /** What the store keeps as text: findings, histories, long texts, each by its place. */
  readonly documents: Ref.Ref<ReadonlyMap<string, string>>
  readonly witness: Ref.Ref<Witness>
  /** How many witnessed calls are under way. */
  readonly busy: Ref.Ref<number>
  /** Completes with the next signal that is fired. */
  readonly asked: Effect.Effect<SignalName>
  /** Asks every step that runs now to end. */
  readonly fire: (signal: SignalName) => Effect.Effect<void>
  /** Runs a call of a port and reports it to the witness. */
  readonly witnessed: <A, E, R>(call: string, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("ooda-codex-review/testing/World") {}

const make = Effect.fnUntraced(function*(script: Script) {
  const witness = yield* Ref.make<Witness>(() => Effect.void)
  const pending = yield* Ref.make(yield* Deferred.make<SignalName>())
  const busy = yield* Ref.make(0)
  const witnessed = (call: string, when: "before" | "after") =>
    Effect.flatMap(Ref.get(witness), (tell) => tell(call, when))
  return World.of({
    code: yield* Ref.make("code-1"),
    script: yield* Ref.make(script),
    reviewers: yield* Ref.make<ReadonlyArray<Reviewer>>([]),
    agentScript: yield* Ref.make<AgentScript>(() => answers("Done.")),
    agents: yield* Ref.make<ReadonlyArray<Worker>>([]),
    testScript: yield* Ref.make<TestScript>(() => ({ exit: 0 })),
    tests: yield* Ref.make<ReadonlyArray<RanTest>>([]),
    documents: yield* Ref.make<ReadonlyMap<string, string>>(new Map()),
    witness,
    busy,
    asked: Effect.flatMap(Ref.get(pending), Deferred.await),
    fire: Effect.fnUntraced(function*(signal: SignalName) {
      const current = yield* Ref.getAndSet(pending, yield* Deferred.make<SignalName>())
      yield* Deferred.succeed(current, signal)
    }),
    witnessed: (call, effect) =>
      Effect.acquireUseRelease(
        Ref.update(busy, (n) => n + 1),
        () => witnessed(call, "before").pipe(Effect.andThen(effect), Effect.tap(witnessed(call, "after"))),
        () => Ref.update(busy, (n) => n - 1)
      )
  })
})

/** A world whose reviewers follow `script`; without one they find nothing wrong, at once. */
export const layer = (script: Script = () => clean()): Layer.Layer<World> => Layer.effect(World, make(script))
