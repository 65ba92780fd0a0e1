// fleetAsked: what `fleet` is asked to do, from what was given on its command line.
import { Result, Schema } from "effect"
import { decode, type Submission } from "../core/fleet/Submission.ts"
import { targetNamed, type TargetName } from "../core/fleet/TargetName.ts"
import { defaults } from "../core/loop/Settings.ts"
import { CommitSha } from "../core/run/Target.ts"
import type { SetUp } from "../services/FleetStore.ts"
import { type Given, misplaced } from "./fleetFlags.ts"

/** What is to be done. */
export type Asked =
  | { readonly _tag: "Init"; readonly setUp: SetUp }
  | { readonly _tag: "Submit"; readonly submission: Submission }
  | {
    readonly _tag: "Worker"
    readonly work: string | null
    readonly name: string | null
    readonly account: string | null
    readonly capacity: number
    readonly active: number
    readonly retro: "park" | "clean"
    readonly codexBin: string
    readonly reviewTimeout: number
    readonly idleTimeout: number
  }
  | { readonly _tag: "Status"; readonly json: boolean }
  | {
    readonly _tag: "Wait"
    readonly target: TargetName
    readonly head: CommitSha | null
    readonly timeout: number | null
  }
  | { readonly _tag: "Export"; readonly run: string; readonly directory: string }

const isCommit = Schema.is(CommitSha)

const submissionOf = (given: Given): Result.Result<Submission, string> => {
  const { base, branch, ceiling, floor, head, pr, repo, reviewers } = given
  if (repo === null || pr === null || head === null || base === null) {
    return Result.fail("fleet submit needs --repo URL, --pr NUM, --head SHA and --base SHA")
  }
  const rungs = { ...(floor === null ? {} : { floor }), ...(ceiling === null ? {} : { ceiling }) }
  const size = reviewers === null ? {} : { batchSize: reviewers }
  return decode({ repo, pr, head, base, branch: branch ?? "main", ...rungs, ...size }, { local: true })
}

/** What is asked for, or what is wrong with the arguments together. */
export const read = (given: Given): Result.Result<Asked, string> =>
  Result.gen(function*() {
    const problem = misplaced(given)
    if (problem !== null) return yield* Result.fail(problem)
    if (given.work !== null && !given.work.startsWith("/")) {
      return yield* Result.fail("--work is a path from the root, since it is the same on every machine")
    }
    switch (given.action) {
      case "init": {
        const { account, lease, local, work, writer } = given
        if (account !== null && account.cap === null) {
          return yield* Result.fail("--account of fleet init says how many may use it at once: NAME=CAP")
        }
        const capped = account === null || account.cap === null ? null : { name: account.name, cap: account.cap }
        return { _tag: "Init", setUp: { work, local, lease, writer, account: capped } }
      }
      case "submit":
        return { _tag: "Submit", submission: yield* submissionOf(given) }
      case "worker": {
        const { account, active, capacity, codexBin, idleTimeout, name, retro, reviewTimeout, work } = given
        if (account !== null && account.cap !== null) {
          return yield* Result.fail("fleet init says how many may use an account; fleet worker only names it")
        }
        return {
          _tag: "Worker",
          work,
          name,
          account: account?.name ?? null,
          capacity: capacity ?? 8,
          active: active ?? 20,
          retro: retro ?? "park",
          codexBin: codexBin ?? defaults.codexBin,
          reviewTimeout: reviewTimeout ?? defaults.reviewTimeout,
          idleTimeout: idleTimeout ?? defaults.idleTimeout
        }
      }
      case "status":
        return { _tag: "Status", json: given.json }
      case "wait": {
        if (given.first === null) return yield* Result.fail("fleet wait needs a pull request: URL#NUM")
        const { head, stepTimeout: timeout } = given
        if (head !== null && !isCommit(head)) {
          return yield* Result.fail("--head is a full commit id of 40 hexadecimal digits in lower case")
        }
        return { _tag: "Wait", target: yield* targetNamed(given.first), head, timeout }
      }
      case "export": {
        const { first: run, second: directory } = given
        if (run === null || directory === null) {
          return yield* Result.fail("fleet export needs a run's id and a directory")
        }
        return { _tag: "Export", run, directory }
      }
    }
  })
