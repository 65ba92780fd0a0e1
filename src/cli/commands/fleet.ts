// fleet: the subcommand `fleet`: pull requests of many repositories, reviewed by many machines over one database.
import { Clock, Effect, Redacted, Result, Schema, Struct } from "effect"
import { Command } from "effect/cli"
import { FleetStore, RunExports, type FleetSetup } from "../../fleet/FleetStore.ts"
import { type FleetTarget, FleetTargets, WaitRefused } from "../../fleet/FleetTargets.ts"
import {
  decode,
  namedTarget,
  type Submission,
  SubmissionRefused,
  Submissions,
  type TargetName,
  targetNamed,
  targetOf
} from "../../fleet/Submission.ts"
import { variable } from "../../platform/Environment.ts"
import { Output } from "../../platform/Process.ts"
import { Count, documentText, RunName, runName, version } from "../../run/Document.ts"
import { select } from "../../step/Selection.ts"
import { bounds, defaults } from "../../run/Settings.ts"
import { CommitSha } from "../../run/Target.ts"
import { span } from "../../text/Phrases.ts"
import { oneLine } from "../../text/Untrusted.ts"
import { columns } from "../../text/Width.ts"
import { stepSettings } from "../../run/StepSettings.ts"
import { type Called, subcommand } from "../command.ts"
import type { Ending } from "../ending.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { Fleets } from "../fleets.ts"
import { json, operand, optional, optionalOperand, storeFlag, switched, valued, flagOf } from "../options.ts"
import { storeUrl } from "../targetOptions.ts"
import { count, duration, oneOf, path, type Value } from "../values.ts"

/** What `fleet` does. */
export const actions = ["init", "submit", "worker", "status", "wait", "export"] as const

const some: Value<string> = (text) => text.trim() === "" ? Result.fail("expected a text") : Result.succeed(text)

const account: Value<{ readonly name: string; readonly cap: number | null }> = (text) => {
  const [, name = "", cap] = /^([A-Za-z0-9][A-Za-z0-9._-]{0,63})(?:=([1-9][0-9]{0,2}))?$/.exec(text) ?? []
  return name === ""
    ? Result.fail("expected the name of an account, or NAME=CAP with how many reviewers may use it at once")
    : Result.succeed({ name, cap: cap === undefined ? null : Number(cap) })
}

const workerName: Value<string> = (text) =>
  /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)
    ? Result.succeed(text)
    : Result.fail("expected at most 64 letters, digits, dots, dashes and underscores")

const leaseTime: Value<number> = (text) =>
  Result.flatMap(
    duration(text),
    (millis) =>
      millis >= 3000 && millis <= 600_000 ? Result.succeed(millis) : Result.fail("expected a duration from 3s to 10m")
  )

const many = { least: 1, most: 10_000 }

/** The arguments and flags. */
const flags = {
  action: operand("ACTION", oneOf(actions), "What to do: init, submit, worker, status, wait or export."),
  first: optionalOperand(operand("TARGET", some, "With wait: a pull request, as URL#NUM. With export: a run's id.")),
  second: optionalOperand(operand("DIR", path, "With export: the directory to write the run into.")),
  store: storeFlag,
  work: optional(
    valued(
      "work",
      "DIR",
      path,
      "The path on every machine below which code is reviewed: recorded by init, checked by worker."
    )
  ),
  local: switched("local", "With init: repositories of the fleet's own machines (file://) may be submitted."),
  lease: optional(
    valued("lease", "DUR", leaseTime, "With init: after how long of silence a worker's work is another's. Default 30s.")
  ),
  writer: optional(valued("writer", "ROLE", some, "With init: a role of the database that workers log in as.")),
  account: optional(
    valued(
      "account",
      "NAME[=CAP]",
      account,
      "With init: how many reviewers may use an account at once. With worker: the account of its reviewers."
    )
  ),
  repo: optional(valued("repo", "URL", some, "With submit: the repository.")),
  pr: optional(valued("pr", "NUM", count({ least: 1, most: 2 ** 31 - 1 }), "With submit: the pull request.")),
  head: optional(valued("head", "SHA", some, "With submit: the commit to review. With wait: the commit to wait for.")),
  base: optional(valued("base", "SHA", some, "With submit: the commit of the base branch.")),
  branch: optional(valued("branch", "NAME", some, "With submit: the base branch. Default main.")),
  floor: flagOf(stepSettings.floor),
  ceiling: flagOf(stepSettings.ceiling),
  reviewers: optional(
    valued(
      "n",
      "N",
      count({ least: bounds.reviewers.least, most: 32 }),
      "With submit: reviews in parallel, at most 32."
    )
  ),
  capacity: optional(
    valued("capacity", "N", count({ least: 1, most: 256 }), "With worker: reviews at once. Default 8.")
  ),
  active: optional(valued("active", "N", count(many), "With worker: runs of the fleet at once. Default 20.")),
  name: optional(valued("name", "NAME", workerName, "With worker: tells it from others of this machine.")),
  retro: optional(
    valued(
      "retro",
      "WHO",
      oneOf(["park", "clean"]),
      "With worker: retrospectives wait (park, default) or pass (clean)."
    )
  ),
  codexBin: flagOf(stepSettings.codexBin),
  reviewTimeout: flagOf(stepSettings.reviewTimeout),
  idleTimeout: flagOf(stepSettings.idleTimeout),
  stepTimeout: flagOf(stepSettings.stepTimeout),
  json
}

/** What was given of them. */
export type Given = Command.Command.Config.Infer<typeof flags>

/** Which flags belong to which actions: a flag of another one is refused. */
const belonging = {
  first: ["wait", "export"],
  second: ["export"],
  work: ["init", "worker"],
  local: ["init"],
  lease: ["init"],
  writer: ["init"],
  account: ["init", "worker"],
  repo: ["submit"],
  pr: ["submit"],
  head: ["submit", "wait"],
  base: ["submit"],
  branch: ["submit"],
  floor: ["submit"],
  ceiling: ["submit"],
  reviewers: ["submit"],
  capacity: ["worker"],
  active: ["worker"],
  name: ["worker"],
  retro: ["worker"],
  codexBin: ["worker"],
  reviewTimeout: ["worker"],
  idleTimeout: ["worker"],
  stepTimeout: ["wait"],
  json: ["status"]
} as const satisfies Partial<Record<keyof Given, ReadonlyArray<Given["action"]>>>

const spelled: Readonly<Record<keyof typeof belonging, string>> = {
  first: "TARGET",
  second: "DIR",
  work: "--work",
  local: "--local",
  lease: "--lease",
  writer: "--writer",
  account: "--account",
  repo: "--repo",
  pr: "--pr",
  head: "--head",
  base: "--base",
  branch: "--branch",
  floor: "--level",
  ceiling: "--ceiling",
  reviewers: "-n",
  capacity: "--capacity",
  active: "--active",
  name: "--name",
  retro: "--retro",
  codexBin: "--codex-bin",
  reviewTimeout: "--review-timeout",
  idleTimeout: "--idle-timeout",
  stepTimeout: "--step-timeout",
  json: "--json"
}

/** A flag that belongs to another action than the one that was given, in words; or null. */
export const misplaced = (given: Given): string | null => {
  for (const name of Struct.keys(belonging)) {
    const value = given[name]
    const actions: ReadonlyArray<string> = belonging[name]
    if (value !== null && value !== false && !actions.includes(given.action)) {
      return `${spelled[name]} belongs to fleet ${actions.join(" and fleet ")}`
    }
  }
  return null
}

// Reading the command line

/** What is to be done. */
type FleetAction =
  | { readonly _tag: "Init"; readonly setUp: FleetSetup }
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
export const readAction = (given: Given): Result.Result<FleetAction, string> =>
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

// `fleet wait`: waits until a pull request rests, and ends as the last step of its run did

// Milliseconds between two looks.
const lookEvery = 1000

const rests = ({ standing }: FleetTarget): boolean => standing === "Parked" || standing === "Done"

/**
 * Waits until a target rests with its newest submission, and says of which head. Where `head` is given, it speaks of
 * that commit or fails: otherwise a job that waits for one head would pass by the fixed point of another.
 */
export const waited = Effect.fn("fleet.waited")(
  function*({ head, target: name, timeout }: Extract<FleetAction, { readonly _tag: "Wait" }>) {
    const { facts } = yield* FleetStore
    const targets = yield* FleetTargets
    const submissions = yield* Submissions
    const target = namedTarget((yield* facts).name, name)
    const until = timeout === null ? null : (yield* Clock.currentTimeMillis) + timeout
    while (true) {
      const found = yield* targets.of(target)
      const [newest] = yield* submissions.of(target, 1)
      if (newest === undefined) return yield* new WaitRefused({ reason: { _tag: "NotSubmitted" } })
      const submitted = newest.submission.head
      if (head !== null && submitted !== head) {
        return yield* new WaitRefused({ reason: { _tag: "OtherHead", newest: submitted } })
      }
      if (found !== null && found.submission === newest.number && rests(found) && found.end !== null) {
        const stdout = `${target.repoId} ${target.targetKey}, number ${newest.number}, head ${submitted}\n`
        return { stdout, stderr: `${oneLine(found.end.header)}\n`, code: found.end.code } satisfies Ending
      }
      if (until !== null && (yield* Clock.currentTimeMillis) >= until) {
        return { stdout: "", stderr: "Idle\n", code: 7 } satisfies Ending
      }
      yield* Effect.sleep(lookEvery)
    }
  }
)

// The states of the targets, as a table and as a document

/** The document of `fleet status --json`. */
export class FleetDocument extends Schema.Class<FleetDocument>("Fleet")({
  schema: version,
  targets: Schema.Array(Schema.Struct({
    repo: Schema.String,
    target: Schema.String,
    submission: Count,
    head: Schema.NullOr(Schema.String),
    turns: Count,
    standing: Schema.Literals(["waiting", "active", "parked", "done"]),
    since: Schema.String,
    run: Schema.NullOr(RunName),
    header: Schema.NullOr(Schema.String),
    exitCode: Schema.NullOr(Count)
  }))
}) {}

const standings = { Waiting: "waiting", Active: "active", Parked: "parked", Done: "done" } as const

/** One line a target, the one that changed last first. */
export const statusTable = (targets: ReadonlyArray<FleetTarget>, now: number): string =>
  targets.length === 0 ? "nothing was submitted\n" : columns([
    ["REPOSITORY", "TARGET", "HEAD", "STANDS", "FOR", "RUN", "LAST TURN"],
    ...targets.map(({ end, head, run, since, standing, target }) => [
      oneLine(target.repoId),
      target.targetKey,
      head?.slice(0, 12) ?? "-",
      standings[standing],
      span(Math.max(0, now - since)),
      run ?? "-",
      oneLine(end?.header ?? "-")
    ])
  ])

/** The same as one document. */
export const statusJson = (targets: ReadonlyArray<FleetTarget>): string =>
  documentText(FleetDocument, {
    targets: targets.map(({ end, head, run, since, standing, submission, target, turns }) => ({
      repo: target.repoId,
      target: target.targetKey,
      submission,
      head,
      turns,
      standing: standings[standing],
      since: new Date(since).toISOString(),
      run: run === null ? null : runName({ ...target, runId: run }),
      header: end?.header ?? null,
      exitCode: end?.code ?? null
    }))
  })

/** What is asked for, and of which store. */
export interface Asked {
  readonly store: string | null
  readonly doing: FleetAction
}

/** What is asked for, or what is wrong with the arguments together. */
export const read = (given: Given): Result.Result<Asked, string> =>
  Result.map(readAction(given), (doing) => ({ store: given.store, doing }))

/** The token that fetches from a host, by the environment alone. */
const access = Effect.gen(function*() {
  const token = yield* variable("OODA_FETCH_TOKEN")
  const host = (yield* variable("OODA_FETCH_HOST")) ?? "github.com"
  return token === null ? null : { host, token: Redacted.make(token) }
})

const setUp = Effect.fnUntraced(function*(asked: FleetSetup) {
  const { isNew, lease, local, name, work } = yield* (yield* FleetStore).setUp(asked)
  const takes = local ? "repositories of https:// and of its own machines" : "repositories of https://"
  const done = isNew ? "set up" : "set up already:"
  const said = `${done} store ${name}, work below ${oneLine(work)}, takes ${takes}, lease ${lease / 1000} s`
  yield* (yield* Output).write(`${said}\n`)
  return exited(exits.done)
})

const inStore = Effect.fnUntraced(function*(
  doing: Exclude<FleetAction, { readonly _tag: "Worker" | "Init" }>,
  cwd: string
) {
  const { write } = yield* Output
  const store = yield* FleetStore
  switch (doing._tag) {
    case "Submit": {
      const { local, name } = yield* store.facts
      const submission = yield* Result.match(decode(doing.submission, { local }), {
        onFailure: (said) => Effect.fail(new SubmissionRefused({ reason: { _tag: "NotTaken", said } })),
        onSuccess: Effect.succeed
      })
      const { isNew, number } = yield* (yield* Submissions).submit(name, submission)
      const target = targetOf(name, submission)
      const isQueued = yield* (yield* FleetTargets).enqueue(target, number)
      const said = isNew ? "submitted" : isQueued ? "takes up again:" : "submitted already:"
      yield* write(`${said} ${target.repoId} ${target.targetKey}, number ${number}\n`)
      return exited(exits.done)
    }
    case "Status": {
      const { name } = yield* store.facts
      const all = yield* (yield* FleetTargets).all(name)
      yield* write(doing.json ? statusJson(all) : statusTable(all, yield* Clock.currentTimeMillis))
      return exited(exits.done)
    }
    case "Wait":
      return yield* waited(doing)
    case "Export": {
      const run = yield* select({ _tag: "Named", prefix: doing.run }, { stateRoot: null, cwd })
      const root = yield* (yield* RunExports).write(cwd, doing.directory, yield* store.contents(run))
      yield* write(`exported ${run.runId} to ${oneLine(root)}\n`)
      return exited(exits.done)
    }
  }
})

/** Does what is asked of a store, and says so. */
export const run = Effect.fn("fleet.run")(function*({ doing, store }: Asked, { cwd }: Called) {
  const url = yield* storeUrl(store)
  const fleets = yield* Fleets
  const { write } = yield* Output
  if (doing._tag === "Init") return yield* Effect.provide(setUp(doing.setUp), fleets.store(url))
  if (doing._tag !== "Worker") return yield* Effect.provide(inStore(doing, yield* cwd), fleets.at(url))
  const facts = yield* Effect.provide(FleetStore.use(({ facts }) => facts), fleets.store(url))
  const begun = Effect.orDie(write(`works for store ${facts.name} below ${oneLine(facts.work)}\n`))
  yield* fleets.work(url, facts, { ...doing, access: yield* access }, begun)
  return exited(exits.done)
})

/** The subcommand. */
export const command = Command.make("fleet", flags).pipe(subcommand({
  read,
  run,
  about: [
    "reviews pull requests of many repositories by many machines, over one PostgreSQL database.",
    "",
    "init makes the tables and records the path below which every machine works. submit says that a pull request has a",
    "new head. worker reviews, and drives runs on, until SIGTERM: then it ends with what it is doing. status tells",
    "where every pull request stands. wait waits until one rests, says of which head, and ends as the last step of its",
    "run did: 0 at the fixed point, 5 where its author is asked to act, and so on; with --head it ends with 6 once",
    "another head has been submitted. export writes a run into files, which an audit then proves. A token that fetches",
    "from $OODA_FETCH_HOST (default github.com) comes by $OODA_FETCH_TOKEN.",
    "",
    "Exits 0, 6 when it could not, 64 on misuse; wait also as a step does. docs/fleet.md tells how to set it up."
  ],
  examples: [
    { command: "ooda-codex-review fleet init --work /srv/ooda", description: "Set up a fleet." },
    { command: "ooda-codex-review fleet worker --capacity 8", description: "Work for the fleet." },
    { command: "ooda-codex-review fleet status", description: "See where everything stands." },
    {
      command: "ooda-codex-review fleet wait https://github.com/owner/name#7",
      description: "Wait for a pull request that was submitted."
    }
  ]
}))
