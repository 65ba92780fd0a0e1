// fleetFlags: what `fleet` is told on its command line: what is to be done, and which flags belong to it.
import { Result, Struct } from "effect"
import type { Command } from "effect/cli"
import { count, duration, level, oneOf, path, type Value } from "../cli/values.ts"
import { bounds } from "../core/loop/Settings.ts"
import { json, operand, optional, optionalOperand, storeFlag, switched, valued, valuedAsInStep } from "./flags.ts"

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
export const flags = {
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
  floor: valuedAsInStep("--level", level),
  ceiling: valuedAsInStep("--ceiling", level),
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
  codexBin: valuedAsInStep("--codex-bin", path),
  reviewTimeout: valuedAsInStep("--review-timeout", duration),
  idleTimeout: valuedAsInStep("--idle-timeout", duration),
  stepTimeout: valuedAsInStep("--step-timeout", duration),
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
